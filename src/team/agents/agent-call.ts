import type { AgentId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { isAwaitingUser } from '../../core/state/is-asking.ts';
import type { AgentRequest } from './admit-call.ts';
import { type AgentReport, reportOf } from './agent-report.ts';
import { releaseHeld } from './agent-slots.ts';
import { beginCalls } from './begin-calls.ts';
import { fromStoredCalls, type MadeCall, toStoredCalls } from './call-memo.ts';

/** Builds the answer to a call, once all of its agents have ended or wait. */
export type Answer = (reports: readonly AgentReport[]) => { readonly content: JsonValue; readonly isError: boolean };

/*
 * A call that puts agents to work and waits for them.
 *
 * 1. Every request of a call is in its answer, once, in the order it was made.
 * 2. A call is answered in the commit in which its last agent ends or begins to wait (I7): a crash loses neither, nor doubles it.
 * 3. How one agent ends changes nothing for the others.
 */

/** Begins a call and suspends it; answers immediately if no agent started. */
export function beginCall(requests: readonly AgentRequest[], context: TransitionContext, answer: Answer): TransitionOutcome {
  const { calls, events } = beginCalls(requests, context);
  const agentIds = agentsOf(calls);
  if (agentIds.length === 0) return { kind: 'result', ...answer(calls.map((call) => reportOf(call, context.run))), events };
  return { kind: 'suspend', on: { kind: 'agents', agentIds, orWait: true }, memo: toStoredCalls(calls), events };
}

/** Continues a call whenever one of its agents ends or begins to wait. */
export function continueCall(stored: JsonValue, context: TransitionContext, answer: Answer): TransitionOutcome {
  const { run } = context;
  const calls = fromStoredCalls(stored);
  const events = releaseHeld(context);
  const agents = agentsOf(calls).flatMap((id) => run.agents.get(id) ?? []);
  const waiting = agents.filter(isAwaitingUser);
  if (agents.every((agent) => agent.status === 'ended' || isAwaitingUser(agent)))
    return {
      kind: 'result',
      ...answer(calls.map((call) => reportOf(call, run))),
      events,
      quotes: waiting.map(({ meta }) => meta.agentId),
    };
  // Returns the same wait and memo objects, so that storage can detect that nothing changed.
  const on = context.agent.calls.open.get(context.callId)?.waitFor ?? { kind: 'agents', agentIds: agentsOf(calls), orWait: true };
  return { kind: 'suspend', on, memo: stored, events };
}

function agentsOf(calls: readonly MadeCall[]): readonly AgentId[] {
  return calls.flatMap((call) => ('agentId' in call ? [call.agentId] : []));
}
