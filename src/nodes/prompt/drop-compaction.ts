import type { SubContext } from '../../core/state/sub-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';

/** Ends a compaction nobody waits for any more. */
export function dropCompaction(tx: Transaction, agent: SubContext, message: string, cause: number): void {
  if (agent.context.compacting === undefined) return;
  const { compactionId, from, to } = agent.context.compacting;
  const error = { code: 'MODEL_ABORTED' as const, message };
  const { agentId } = agent.meta;
  tx.emit({ type: 'compaction.end', agentId, compactionId, from, to, error, usage: {}, attempts: [] }, cause);
}
