import type { TurnContext } from '../../core/turn-context.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import { toStatePatch } from '../../core/patches/change-state.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';

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
    profiles: env.profiles,
    protocols: env.protocols,
    agentIds: (profiles) => profiles.map((profile, index) => agentIdAt(profile, tx.run.counters.agents + 1 + index)),
    item: (to: AgentId, source: string, payload: JsonValue, options): EventDraft => {
      const params = options?.noHandover === true ? { ingestorParams: { no_handover: true } } : {};
      return tx.itemDraft(to, { source, payload, from: agent.meta.agentId, ...params });
    },
    change: (recipe, { moves: actor = 'planner', on = tx.run } = {}) => {
      const { name, turnId } = call.request;
      const owner = { owner: `tool '${name}'`, actor, created: on.counters.modules, at: tx.at };
      const changes = env.recipe(patchedState(on, agent), recipe, owner);
      const event = toStatePatch(changes, { agentId: agent.meta.agentId, turnId, by: name });
      return event === undefined ? [] : [event];
    },
    check: env.checkSchema,
  };
}

/** The id of a run's n-th agent: its profile's name, made safe, and the number. */
export function agentIdAt(profile: string, count: number): AgentId {
  const name = profile.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 48);
  return `${name === '' ? 'agent' : name}_${count}` as AgentId;
}
