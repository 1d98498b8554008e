import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { RunId } from '../../core/ids.ts';
import type { Journal } from '../../core/events/journal.ts';

/** What can be read of a damaged run, and what stopped the reading. */
export interface Salvage {
  /** The events before the damage, from the first, without gaps. */
  readonly events: readonly CadreEvent[];
  /** Names the row that is bad; undefined when the run is whole. */
  readonly problem: CadreError | undefined;
}

/** Reads as much of a run as is good, and changes nothing. Fails when there is no such run, or no journal to read from. */
export async function salvageRun(journal: Journal, runId: RunId): Promise<Salvage> {
  const events: CadreEvent[] = [];
  for (let limit = 256; ;) {
    try {
      const more = await journal.read(runId, { after: events.length, limit });
      for (const event of more) events.push(event);
      if (more.length < limit) return { events, problem: undefined };
    } catch (thrown) {
      if (!(thrown instanceof CadreError) || (thrown.code !== 'STORE_CORRUPT' && thrown.code !== 'STORE_NEWER')) throw thrown;
      // Up to the very event before the damage, one by one.
      if (limit === 1) return { events, problem: thrown };
      limit = 1;
    }
  }
}
