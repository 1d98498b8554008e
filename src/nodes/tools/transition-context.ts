import type { TurnContext } from '../../core/turn-context.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import { sourcesToName, toStatePatch } from '../../core/patches/change-state.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../core/json.ts';
import { untrustedSources } from '../../core/prompt/prompt-sources.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { stateQuotes } from '../../core/untrusted/quote-state.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { Changes } from '../../core/patches/patch.ts';
import type { StatePatch } from '../../core/events/team-events.ts';
import type { RecipeOwner } from '../../core/patches/state-draft.ts';
import { watchReads } from '../../core/patches/state-taint.ts';
import { redactChanges } from '../../core/secrets/redact-changes.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { moduleChanges } from '../../core/team/module-changes.ts';
import type { ChangeOptions, TransitionContext } from '../../core/tool/transition.ts';

/** Returns the context that a transition tool may read while it decides on one call. */
export function transitionContext(context: TurnContext, call: CallState): TransitionContext {
  const { tx, env, agent } = context;
  return {
    at: tx.at,
    run: tx.run,
    agent,
    callId: call.callId,
    turnId: call.request.turnId,
    scope: agentScope(env, tx.run, agent),
    ...shownArgs(tx.run, agent, call),
    quotes: (more) => stateQuotes(env, { run: tx.run, agent, more, isTask: true }, call.callId),
    profiles: env.profiles,
    protocols: env.protocols,
    agentIds: (profiles) => profiles.map((profile, index) => agentIdAt(profile, tx.run.counters.agents + 1 + index)),
    item: (to: AgentId, source: string, payload: JsonValue, options): EventDraft => {
      const params = options?.noHandover === true ? { ingestorParams: { no_handover: true } } : {};
      const taint = options?.taint === undefined || options.taint.length === 0 ? {} : { taint: options.taint };
      return tx.itemDraft(to, { source, payload, from: agent.meta.agentId, ...params, ...taint });
    },
    change: (recipe, options) =>
      changeEvents(context, call, options, (owner, on) => env.recipe(patchedState(on, agent), recipe, owner)),
    changeModules: (modules, options) =>
      changeEvents(context, call, options, (owner, on) =>
        redactChanges(moduleChanges(on.team.workModules, modules, owner), env.secrets),
      ),
    check: env.checkSchema,
  };
}

/** Returns the arguments of a call as other agents may be shown them. A person who changed them wrote them. */
function shownArgs(run: RunContext, agent: SubContext, call: CallState): Pick<TransitionContext, 'shownArgs' | 'argsTaint'> {
  const args = call.args ?? {};
  const { modelEnd, decide } = run.turns.get(call.request.turnId) ?? {};
  const made = decide?.action.call?.callId === call.callId ? decide.action.call : modelEnd?.reply?.toolCalls[call.index];
  const shown = made?.callId === call.callId && call.args === call.request.args ? made.shown : undefined;
  const value = shown === undefined ? undefined : parseJson(shown);
  return isJsonObject(value)
    ? { shownArgs: value, argsTaint: untrustedSources(agent.history.sources) }
    : { shownArgs: args, argsTaint: undefined };
}

/** Returns the event of a call's changes of state; none when nothing changed. */
function changeEvents(
  { tx, agent }: TurnContext,
  call: CallState,
  { moves: actor = 'planner', on = tx.run, taint }: ChangeOptions = {},
  change: (owner: RecipeOwner, on: RunContext) => Changes,
): readonly EventDraft[] {
  const { name, turnId } = call.request;
  const { onRead, labels } = watchReads(on, agent);
  const changes = change({ owner: `tool '${name}'`, actor, created: on.counters.modules, at: tx.at, onRead }, on);
  const said = untrustedSources(agent.history.sources);
  const read = labels().filter((label) => !said.includes(label));
  const given = shownArgs(tx.run, agent, call).argsTaint;
  const named = taint ?? (read.length === 0 ? given : [...new Set([...said, ...(given ?? []), ...read])]);
  const sources = named === undefined ? undefined : sourcesToName(agent, named);
  const event = toStatePatch(changes, { agentId: agent.meta.agentId, turnId, by: name, taint: sources });
  if (event === undefined) return [];
  for (const patch of event.patches) Object.freeze(Object.freeze(patch).path);
  Object.freeze(event.patches);
  madeFrom.set(Object.freeze(event), { run: on, seq: on.seq });
  return [event];
}

/** Pure cache: keyed by an event that its tool cannot change; holds the state that its changes were made from, and its last event then. */
const madeFrom = new WeakMap<StatePatch, { readonly run: RunContext; readonly seq: number }>();

/** True for a change that a context made from this state, to which no event was added since: it fits. */
export function isMadeFrom(change: StatePatch, run: RunContext): boolean {
  const from = madeFrom.get(change);
  return from?.run === run && from.seq === run.seq;
}

/** The id of a run's n-th agent: its profile's name, made safe, and the number. */
export function agentIdAt(profile: string, count: number): AgentId {
  const name = profile.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 48);
  return `${name === '' ? 'agent' : name}_${count}` as AgentId;
}
