import type { TurnContext } from '../../core/turn-context.ts';
import { wholeUse } from '../../core/fold/charge.ts';
import type { CompactionEnd } from '../../core/events/context-events.ts';
import type { Writable } from '../../core/json.ts';
import { useUnderWay } from '../limits/unanswered.ts';

const nothingMore = { usage: {}, cost: 0, attempts: [] };

/** Ends a compaction whose result is no longer needed. */
export function dropCompaction(context: TurnContext, message: string, cause: number): void {
  const { tx, agent } = context;
  if (agent.context.compacting === undefined) return;
  const { compactionId, from, to } = agent.context.compacting;
  const error = { code: 'MODEL_ABORTED' as const, message };
  const { agentId } = agent.meta;
  const whole = wholeUse(tx.run, compactionId, nothingMore);
  const end: Writable<CompactionEnd> = { type: 'compaction.end', agentId, compactionId, from, to, error, ...whole };
  const estimate = useUnderWay(context, compactionId);
  if (estimate !== undefined) end.estimate = estimate;
  tx.emit(end, cause);
}
