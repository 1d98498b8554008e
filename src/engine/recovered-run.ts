import { CadreError, describeThrown } from '../core/error.ts';
import type { RunId } from '../core/ids.ts';
import type { Run } from './run.ts';

/** What came of taking one interrupted run up again: its handle, or why it could not be. */
export type RecoveredRun =
  | { readonly runId: RunId; readonly run: Run; readonly error?: undefined }
  | { readonly runId: RunId; readonly run?: undefined; readonly error: CadreError };

/** Tells from a run's status in the list whether it is to be taken up: it has not ended, or nobody can tell since it is damaged. */
export function isInterrupted(status: string): boolean {
  return status === 'running' || status === 'awaiting' || status === 'damaged';
}

/** Why a run could not be taken up. */
export function notRecovered(runId: RunId, thrown: unknown): RecoveredRun {
  if (thrown instanceof CadreError) return { runId, error: thrown };
  const message = `run ${runId} could not be taken up: ${describeThrown(thrown)}`;
  return { runId, error: new CadreError('INTERNAL', message, { cause: thrown }) };
}
