import { CadreError, describeThrown } from '../core/error.ts';
import type { RunId } from '../core/ids.ts';
import type { RunSummary } from '../core/journal.ts';
import type { Run } from './run.ts';

/** What came of taking one interrupted run up again: its handle, or why it could not be. */
export type RecoveredRun =
  | { readonly runId: RunId; readonly run: Run; readonly error?: undefined }
  | { readonly runId: RunId; readonly run?: undefined; readonly error: CadreError };

/** Takes up every run of a list that is not over; `resume` answers with nothing for one that is live already. */
export async function recoverEach(
  runs: readonly RunSummary[],
  resume: (runId: RunId) => Promise<Run | undefined>,
): Promise<readonly RecoveredRun[]> {
  const recovered: RecoveredRun[] = [];
  for (const { runId, status } of runs) {
    if (!isInterrupted(status)) continue;
    try {
      const run = await resume(runId);
      if (run !== undefined) recovered.push({ runId, run });
    } catch (thrown) {
      recovered.push(notRecovered(runId, thrown));
    }
  }
  return recovered;
}

/** Tells from a run's status in the list whether it is to be taken up: it has not ended, or nobody can tell since it is damaged. */
export function isInterrupted(status: string): boolean {
  return status === 'running' || status === 'awaiting' || status === 'damaged';
}

function notRecovered(runId: RunId, thrown: unknown): RecoveredRun {
  if (thrown instanceof CadreError) return { runId, error: thrown };
  const message = `run ${runId} could not be taken up: ${describeThrown(thrown)}`;
  return { runId, error: new CadreError('INTERNAL', message, { cause: thrown }) };
}
