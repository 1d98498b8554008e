import { CadreError } from '../../core/error.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';

/** The run that is forked, and the new one. */
interface ForkIds {
  readonly runId: RunId;
  readonly forkId: RunId;
}

/** Error for a fork whose original was erased meanwhile. */
class ErasedOriginal extends CadreError {
  constructor({ runId, forkId }: ForkIds) {
    const message = `run ${runId} was erased while it was forked; nothing came of the fork`;
    super('RUN_UNKNOWN', message, { details: { runId, forkId } });
  }
}

/**
 * Throws RUN_UNKNOWN when the original of a fork does not exist any more. Call it after the fork's first commit: from then on the texts that
 * the fork shares with its original stay; before, they may have been erased with the original.
 */
export async function assertOriginal(journal: Pick<Journal, 'runs'>, ids: ForkIds): Promise<void> {
  if ((await journal.runs({ runId: ids.runId })).length === 0) throw new ErasedOriginal(ids);
}

/** Deletes a fork that `assertOriginal` refused, once its lease is free; rethrows any error. */
export async function discardFork(journal: Pick<Journal, 'mark'>, thrown: unknown, at: number): Promise<never> {
  if (thrown instanceof ErasedOriginal) await journal.mark?.(thrown.details['forkId'] as RunId, { deletedAt: at });
  throw thrown;
}
