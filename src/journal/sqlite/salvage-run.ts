import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { RunId } from '../../core/ids.ts';
import type { Journal } from '../../core/events/journal.ts';

/** Readable part of a damaged run, and the error that ended the reading. */
export interface Salvage {
  /** Events before the damage, from the first, without gaps. */
  readonly events: readonly CadreEvent[];
  /** Names the damaged row; undefined when the run is whole. */
  readonly problem: CadreError | undefined;
}

/**
 * Reads a run up to its first damaged row, without changing anything. Throws when the run does not exist or the journal cannot be
 * read.
 */
export async function salvageRun(journal: Journal, runId: RunId): Promise<Salvage> {
  const events: CadreEvent[] = [];
  for (let limit = 256; ;) {
    try {
      const more = await journal.read(runId, { after: events.length, limit });
      for (const event of more) events.push(event);
      if (more.length < limit) return { events, problem: undefined };
    } catch (thrown) {
      if (!(thrown instanceof CadreError) || (thrown.code !== 'STORE_CORRUPT' && thrown.code !== 'STORE_NEWER')) throw thrown;
      // Reads singly up to the last event before the damage.
      if (limit === 1) return { events, problem: thrown };
      limit = 1;
    }
  }
}
