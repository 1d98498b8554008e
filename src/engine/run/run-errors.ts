import { CadreError, describeThrown } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';

/** Returns the error for callers that wait on a run when its engine closes. */
export function suspendedError(runId: RunId): CadreError {
  return new CadreError('ENGINE_CLOSED', `run ${runId} is suspended: its engine was closed; resume it to go on`);
}

/** Converts an error thrown while deciding inputs of these kinds to the fault the run ends with. */
export function engineFault(kinds: readonly string[], thrown: unknown): CadreError {
  if (thrown instanceof CadreError) return thrown;
  return new CadreError('INTERNAL', `the engine failed on ${kinds.join(', ')}: ${describeThrown(thrown)}`, { cause: thrown });
}

/** Converts an error thrown by a journal to the error a run halts with. */
export function asStoreError(runId: string, thrown: unknown): CadreError {
  if (thrown instanceof CadreError) return thrown;
  return new CadreError('STORE_FAILED', `run ${runId}: the journal could not be written: ${describeThrown(thrown)}`, {
    cause: thrown,
  });
}
