import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';

/** A run in the list of runs. */
export interface RunRow extends RunSummary {
  /** The process of the server advances it. */
  readonly isLive: boolean;
}

/** Says of a run whether this engine has it. */
export function toRow(engine: Engine, summary: RunSummary): RunRow {
  return { ...summary, isLive: engine.live(summary.runId) !== undefined };
}
