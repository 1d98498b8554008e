import type { TurnContext } from '../../core/turn-context.ts';

/** Ends a compaction whose result is no longer needed. */
export function dropCompaction(context: TurnContext, message: string, cause: number): void {
  const { tx, agent } = context;
  if (agent.context.compacting === undefined) return;
  const { compactionId, from, to } = agent.context.compacting;
  const error = { code: 'MODEL_ABORTED' as const, message };
  const { agentId } = agent.meta;
  tx.emit({ type: 'compaction.end', agentId, compactionId, from, to, error, usage: {}, attempts: [] }, cause);
}
