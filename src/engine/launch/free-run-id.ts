import { CadreError } from '../../core/error.ts';
import { idPattern, type RunId } from '../../core/ids.ts';
import type { JournalReader } from '../../core/events/journal.ts';

/**
 * Parses an id given by a caller for a new run.
 *
 * @throws CadreError `OPTION_INVALID` when it is no id, `RUN_EXISTS` when a run has it
 */
export async function freeRunId(journal: Pick<JournalReader, 'read'>, id: string): Promise<RunId> {
  if (!idPattern.test(id) || id.startsWith('.'))
    throw new CadreError(
      'OPTION_INVALID',
      `launch: runId must be 1 to 100 letters, digits, "_", "." or "-", not ${JSON.stringify(id)}`,
    );
  if (await isKnown(journal, id as RunId))
    throw new CadreError('RUN_EXISTS', `launch: there is a run ${id} already; look at it, or give another id`);
  return id as RunId;
}

/** True when a journal has the run. */
export async function isKnown(journal: Pick<JournalReader, 'read'>, runId: RunId): Promise<boolean> {
  try {
    await journal.read(runId, { limit: 1 });
    return true;
  } catch (thrown) {
    if (thrown instanceof CadreError && thrown.code === 'RUN_UNKNOWN') return false;
    throw thrown;
  }
}
