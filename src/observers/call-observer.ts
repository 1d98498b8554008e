import { isSourceName } from '../core/inbox/strategy.ts';
import type { TurnContext } from '../core/turn-context.ts';
import type { CodedObserver, ObserverResult, ObserverView } from '../core/env.ts';
import type { JsonObject } from '../core/json.ts';
import { redactChanges } from '../core/secrets/redact-changes.ts';
import type { Secrets } from '../core/secrets/secrets.ts';
import { readOnlyView } from '../core/read-only-view.ts';
import { sourcesToName, toStatePatch } from '../core/patches/change-state.ts';
import { type PatchedState, patchedState } from '../core/patches/state-patch.ts';
import { type StateOperation, updateState, StateEdit } from '../core/patches/update-state.ts';
import type { Changes } from '../core/patches/patch.ts';
import { everySource, type OriginsEnv } from '../core/untrusted/scope-origins.ts';
import { carriesText, type Labels } from '../core/untrusted/taint.ts';
import { trusted } from '../core/untrusted/watch-scope.ts';
import { toWire } from '../core/tool/to-wire.ts';
import { boundOf } from '../core/tool/tool-bound.ts';
import type { ToolBound, ObserverRecord } from '../core/state/turn.ts';
import { targetOf } from './observer-target.ts';
import { openRecipe, type OpenRecipe } from './state-recipe.ts';

/** Maximum number of results that one call of a coded observer may return. */
const maxResults = 64;

/** An observer of a profile that is written in code, and when it is called. */
interface ObserverCall {
  readonly id: string;
  readonly name: string;
  readonly params: JsonObject;
  readonly phase: ObserverRecord['phase'];
}

/** Dependencies of a coded observer besides state. */
interface CallPorts {
  readonly env: OriginsEnv;
  readonly observer: (name: string) => CodedObserver | undefined;
  readonly secrets: Secrets;
}

/**
 * Calls an observer written in code and does what it wants: all of it, or nothing when any of it cannot be done. Returns what it makes of the
 * tools of the turn.
 */
export function callObserver(
  context: TurnContext,
  { id, name, params, phase }: ObserverCall,
  { env, observer: find, secrets }: CallPorts,
): ToolBound | undefined {
  const { tx, agent } = context;
  const coded = find(name);
  if (coded === undefined) throw new Error(`there is no observer '${name}'`);
  const owner = `observer '${name}'`;
  const state = patchedState(tx.run, agent);
  let open: OpenRecipe | undefined;
  const view: ObserverView = {
    run: readOnlyView(tx.run),
    agent: readOnlyView(agent),
    params,
    get draft() {
      return (open ??= openRecipe(state, { owner, actor: 'planner', created: tx.run.counters.modules, at: tx.at })).draft;
    },
  };
  try {
    // What code makes of a state in which there is text from outside may hold some.
    const taint = everySource(env, { run: tx.run, agent });
    // The return value may hold parts of the draft, so copy it before the draft is closed.
    const results = resultsOf(owner, coded.observe(view)).map((result) => toWanted(context, { id, phase, taint }, result));
    const place = { agentId: agent.meta.agentId, turnId: agent.turn.currentId, by: id };
    const written = open?.close() ?? nothing;
    const updated = updatesOf(state, written, results);
    const events = [{ changes: written, taint }, ...updated].flatMap(
      (made) => toStatePatch(redactChanges(made.changes, secrets), { ...place, taint: sourcesToName(agent, made.taint) }) ?? [],
    );
    for (const event of events) tx.emit(event);
    for (const { post } of results) post?.();
    return boundOf(results.flatMap(({ tools }) => (tools === undefined ? [] : [{ id, phase, fired: true, tools }])));
  } finally {
    open?.abandon();
  }
}

const nothing: Changes = { patches: [], inverse: [] };

/** One thing an observer wants done, checked. */
interface Wanted {
  readonly post?: () => void;
  readonly update?: StateOperation;
  readonly taint?: Labels;
  readonly tools?: ToolBound;
}

/** An observer at work, and the untrusted sources of all that it may have read. */
interface Observing {
  readonly id: string;
  readonly phase: ObserverRecord['phase'];
  readonly taint: Labels;
}

function toWanted(context: TurnContext, { id, phase, taint: read }: Observing, result: ObserverResult): Wanted {
  if (result.type === 'set_tool_choice' || result.type === 'filter_tools') return { tools: toBound(result, phase) };
  const taint = result.trust === 'trusted' ? trusted : read;
  if (result.type === 'add_to_inbox') return { post: itemOf(context, id, result, taint) };
  const { trust: _, ...update } = result;
  return { update: { ...update, value: update.value === undefined ? undefined : toWire(update.value) }, taint };
}

/** Applies the updates among the observer's results, one after another, to the state that the draft produced. */
function updatesOf(
  state: PatchedState,
  written: Changes,
  wanted: readonly Wanted[],
): readonly { readonly changes: Changes; readonly taint: Labels }[] {
  const made: { readonly changes: StateEdit; readonly taint: Labels }[] = [];
  for (const { update, taint = trusted } of wanted) {
    if (update === undefined) continue;
    const last = made.at(-1);
    const edit = last?.taint === taint ? last.changes : new StateEdit(last?.changes.state ?? afterPatches(state, written));
    if (last?.changes !== edit) made.push({ changes: edit, taint });
    updateState(edit, update);
  }
  return made;
}

function afterPatches(state: PatchedState, { patches }: Changes): PatchedState {
  const edit = new StateEdit(state);
  for (const patch of patches) edit.apply(patch);
  return edit.state;
}

/** Returns an action's effect on the tools of a turn; not allowed once the reply has arrived. */
export function toBound(
  action: Extract<ObserverResult, { type: 'set_tool_choice' | 'filter_tools' }>,
  phase: ObserverRecord['phase'],
): ToolBound {
  if (phase === 'post') throw new Error(`${action.type} is for observers that run before a turn`);
  if (action.type === 'set_tool_choice') return { choice: action.toolChoice };
  const { only, except } = action;
  return { ...(only === undefined ? {} : { only }), ...(except === undefined ? {} : { except }) };
}

function resultsOf(owner: string, returned: unknown): readonly ObserverResult[] {
  if (returned === undefined) return [];
  if (returned instanceof Promise) {
    returned.catch(() => undefined);
    throw new Error(`${owner} must return a list, and return it at once; it returned a promise`);
  }
  if (!Array.isArray(returned)) throw new Error(`${owner} must return a list or nothing; it returned ${typeof returned}`);
  if (returned.length > maxResults) throw new Error(`it wants ${returned.length} things done at once; ${maxResults} are allowed`);
  return returned as readonly ObserverResult[];
}

/** Checks an item that an observer adds; the function it returns posts it. */
function itemOf(
  context: TurnContext,
  observerId: string,
  result: Extract<ObserverResult, { type: 'add_to_inbox' }>,
  taint: Labels,
): () => void {
  const { tx, agent } = context;
  if (!isSourceName(result.source)) throw new Error('an item needs a source: a name such as NEWS');
  const to = targetOf(tx.run, agent, result.target ?? 'self');
  const payload = toWire(result.payload);
  const isMixed = taint.length > 0 && carriesText(payload);
  const item = { source: result.source, payload, observerId, ...(isMixed ? { trust: 'untrusted' as const, taint } : {}) };
  return () => tx.post(to, item);
}
