import { TurnContext } from '../../core/turn-context.ts';
import type { Env } from '../../core/env.ts';
import type { CallId } from '../../core/ids.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { refuseCall } from './refuse-call.ts';

/** Answers a call that waited for a person longer than it may: as its gate or question says, denied unless it says otherwise. */
export function expireCall(tx: Transaction, env: Env, callId: CallId, since: number): void {
  for (const agent of tx.run.agents.values()) {
    const call = agent.calls.open.get(callId);
    if (call === undefined) continue;
    const { waitFor } = call;
    if (call.suspendedAt !== since || waitFor === undefined || waitFor.kind === 'agents' || waitFor.expires === undefined) return;
    const { afterMs, verdict } = waitFor.expires;
    const what = waitFor.kind === 'approval' ? 'approval or rejection of this call' : 'answer';
    const message = `no ${what} within ${afterMs / 1000} s`;
    const isAllowed = waitFor.kind === 'approval' && verdict === 'allow';
    const { agentId } = agent.meta;
    const { turnId, seq } = call.request;
    const answer = tx.emit(
      {
        type: 'tool.answer',
        agentId,
        turnId,
        callId,
        verdict: isAllowed ? 'approved' : 'rejected',
        message,
        ...(isAllowed && waitFor.capability !== undefined ? { capability: waitFor.capability } : {}),
        expired: true,
      },
      seq,
    );
    if (isAllowed) return;
    refuseCall(new TurnContext(tx, env, agent), call, { status: 'denied', code: 'TOOL_EXPIRED', message, cause: answer.seq });
    return;
  }
}
