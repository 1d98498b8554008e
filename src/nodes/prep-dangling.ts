import type { CallId } from '../core/ids.ts';
import type { AgentState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import { answeredCall, danglingCallResolver, openCallsOf } from './answered-call.ts';

/**
 * Answers tool calls of the last reply that nothing answered (I1, A1.1 dangling tool calls): whatever kept their results
 * from arriving, the model gets one error result per call, in place, instead of a history its provider refuses.
 */
export function answerDanglingCalls(tx: Transaction, agent: AgentState): void {
  const open = openCallsOf(agent);
  if (open.length === 0) return;
  const answered = new Set(agent.inbox.map(({ item }) => answeredCall(item)));
  for (const callId of open) {
    if (!answered.has(callId)) postDanglingResult(tx, agent, callId);
  }
}

function postDanglingResult(tx: Transaction, agent: AgentState, callId: CallId): void {
  const call = tx.run.turns
    .get(agent.origins.at(-1)?.turnId ?? agent.lastTurnId ?? ('' as NonNullable<AgentState['lastTurnId']>))
    ?.calls.find((candidate) => candidate.callId === callId);
  tx.post(agent.meta.agentId, {
    source: 'TOOL_RESULT',
    payload: {
      tool_name: call?.request.name ?? 'unknown',
      tool_call_id: callId,
      is_error: true,
      content:
        call?.end === undefined
          ? 'This call was never answered and will not be. If you still need its result, call the tool again.'
          : 'The result of this call was lost. If you still need it, call the tool again.',
    },
    observerId: danglingCallResolver,
  });
}
