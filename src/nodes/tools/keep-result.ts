import type { TurnContext } from '../../core/turn-context.ts';
import type { Env, FittedResult, ResultOptions } from '../../core/env.ts';
import { describeThrown } from '../../core/error.ts';
import type { StatePatch } from '../../core/events/team-events.ts';
import { toStatePatch } from '../../core/patches/change-state.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Changes } from '../../core/patches/patch.ts';
import { watchReads, writesText } from '../../core/patches/state-taint.ts';
import type { Labels } from '../../core/untrusted/taint.ts';
import { untrustedSources } from '../../core/prompt/prompt-sources.ts';
import { updateState, StateEdit } from '../../core/patches/update-state.ts';
import { type KnowledgeEntry, knowledgeToken, readKnowledge, showToken, toEntryJson } from '../../core/team/knowledge.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Tool } from '../../core/tool/tool.ts';

/** A result as the model will read it, and what puts it into the knowledge base when it was cut to a preview. */
export interface KeptResult extends FittedResult {
  readonly change?: StatePatch;
}

/** Default maximum length of a tool's result, in characters. */
export const defaultMaxResultChars = 32_768;
/** Arguments that say what a result is about, the most telling first. */
const sourceArguments = ['url', 'uri', 'path', 'file', 'query', 'command'];
const maxSourceChars = 200;

/**
 * Fits a tool's result into the limit for the model. With `context_policy.result_preview`, a longer result becomes a preview with a
 * token: the full text is stored like every cut text, and the team's state records the token (A1.13). The same text keeps
 * its token.
 */
export function keepResult(context: TurnContext, call: CallState, tool: Tool | undefined, returned: unknown): KeptResult {
  const { env, run } = context;
  const maxChars = tool?.maxResultChars ?? defaultMaxResultChars;
  const preview = tool?.wholeResult === true ? undefined : context.profile.contextPolicy.resultPreview;
  const isOutside = tool?.trust !== 'trusted';
  if (preview === undefined || preview >= maxChars || !hasRoom(run)) return fit(env, returned, maxChars, { isOutside });
  let change: StatePatch | undefined;
  const address = (full: string): string => {
    const [token, made] = enter(context, call, full);
    change = made;
    return showToken(token);
  };
  const fitted = fit(env, returned, preview, { address, isOutside });
  // Errors get no token: they are of no use later.
  if (fitted.isError) return fit(env, returned, maxChars, { isOutside });
  return change === undefined ? fitted : { ...fitted, change };
}

/** False when another value occupies the place of the tokens in the team's state. */
function hasRoom({ team }: RunContext): boolean {
  return isJsonObject(team.shared['knowledge'] ?? {});
}

function enter(
  context: Pick<TurnContext, 'env' | 'run' | 'agent'>,
  call: CallState,
  full: string,
): readonly [string, StatePatch | undefined] {
  const { env, run, agent } = context;
  const hash = env.hash(full);
  const known = readKnowledge(run.team.shared);
  const before = [...known].find(([, entry]) => entry.hash === hash)?.[0];
  const change = (operation: 'set' | 'increment', path: string, value?: JsonObject): StatePatch | undefined => {
    const edit = new StateEdit(patchedState(run, agent));
    updateState(edit, { operation, path: `team.shared.knowledge.${path}`, value });
    return toStatePatch(edit, { agentId: agent.meta.agentId, turnId: call.request.turnId, by: call.request.name });
  };
  if (before !== undefined) return [before, change('increment', `${before}.seen`)];
  const token = knowledgeToken(known.size + 1);
  const entry: KnowledgeEntry = {
    hash,
    chars: full.length,
    tool: call.request.name,
    callId: call.callId,
    source: sourceOf(call.request.args ?? {}),
    seen: 1,
  };
  return [token, change('set', token, toEntryJson(entry))];
}

function sourceOf(args: JsonObject): string {
  for (const name of sourceArguments) {
    const value = args[name];
    if (typeof value === 'string') return value.slice(0, maxSourceChars);
  }
  return '';
}

function fit(env: Env, returned: unknown, maxChars: number, options: ResultOptions): FittedResult {
  try {
    return env.toResult(returned, maxChars, options);
  } catch (thrown) {
    return { content: `the tool's result could not be put into words: ${describeThrown(thrown)}`, isError: true, items: [] };
  }
}

/**
 * Returns the state changes that a tool's result brings: first its values, then its update on top of them.
 *
 * @throws Error when a value does not fit the existing state, or the update is not allowed; nothing is changed then
 */
export function resultChanges(
  context: TurnContext,
  call: CallState,
  { values, update }: Pick<FittedResult, 'values' | 'update'>,
): readonly StatePatch[] {
  const { tx, env, agent } = context;
  if (values === undefined && update === undefined) return [];
  const { name, turnId } = call.request;
  const edit = new StateEdit(patchedState(tx.run, agent));
  for (const [key, value] of Object.entries(values ?? {}))
    updateState(edit, { operation: 'set', path: `values.${key}`, value: value ?? null });
  const { onRead, labels } = watchReads(tx.run, agent);
  const owner = { owner: `tool '${name}'`, actor: 'planner', created: tx.run.counters.modules, at: tx.at, onRead } as const;
  const updated = update === undefined ? undefined : env.recipe(edit.state, update, owner);
  const isTrusted = env.catalog.get(name)?.trust === 'trusted';
  const said = untrustedSources(agent.history.sources);
  const place = { agentId: agent.meta.agentId, turnId, by: name };
  const changed = (changes: Changes, read: Labels): readonly StatePatch[] => {
    const isSaid = isTrusted && read.every((label) => said.includes(label));
    const taint = isSaid ? undefined : [...new Set([...(isTrusted ? [] : [name]), ...said, ...read])];
    const event = toStatePatch(changes, changes.patches.some(writesText) ? { ...place, taint } : place);
    return event === undefined ? [] : [event];
  };
  return [...changed(edit, []), ...(updated === undefined ? [] : changed(updated, labels()))];
}
