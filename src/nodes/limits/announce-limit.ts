import type { LimitReach } from '../../core/events/agent-events.ts';
import { noticeKey } from '../../core/state/notice-key.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';

/**
 * Notifies an agent that a limit is near (stage 1) or that its next turn is the last (stage 2), and records it.
 * Each limit is announced once per stage. Returns the sequence number of the item; 0 when it was announced before.
 */
export function announceLimit(tx: Transaction, agent: SubContext, limit: LimitReach): number {
  if (agent.limits.warned.includes(noticeKey(limit))) return 0;
  const text =
    limit.stage === 1
      ? `You have used ${limit.reason}. Finish what you are doing and wrap up: deliver what you have.`
      : `The limit is reached (${limit.reason}). This is your last turn and no tool will run: answer now with what you have.`;
  // Posted before the stage is on record: an agent on its last turn is not interrupted any more.
  const { seq } = tx.post(
    agent.meta.agentId,
    { source: 'LIMIT_NOTICE', payload: text, observerId: 'limits', ...(limit.stage === 2 ? { delivery: 'now' as const } : {}) },
    agent.meta.seq,
  );
  tx.emit({ ...limit }, seq);
  return seq;
}
