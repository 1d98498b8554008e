import { CadreError, describeThrown } from '../../core/error.ts';

/** Converts an error thrown by a journal to the error a run halts with. */
export function asStoreError(runId: string, thrown: unknown): CadreError {
  if (thrown instanceof CadreError) return thrown;
  return new CadreError('STORE_FAILED', `run ${runId}: the journal could not be written: ${describeThrown(thrown)}`, {
    cause: thrown,
  });
}
