import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';

/** A row in the list of runs. */
export interface RunRow extends RunSummary {
  /** True when the server's process advances the run. */
  readonly isLive: boolean;
}

/** Adds to a summary whether this engine advances the run. */
export function toRow(engine: Engine, summary: RunSummary): RunRow {
  return { ...summary, isLive: engine.live(summary.runId) !== undefined };
}
