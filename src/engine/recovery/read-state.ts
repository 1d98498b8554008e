import { CadreError } from '../../core/error.ts';
import { applyEvent, foldEvents, startRun } from '../../core/fold/apply-event.ts';
import { hasReleased } from '../../core/fold/release.ts';
import type { RunId } from '../../core/ids.ts';
import type { Journal, JournalReader } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { assertOwnRun } from './imported-run.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { findSnapshot, noteRead } from './run-snapshots.ts';

const pageSize = 4_000;

/** Folds a run's journal from its snapshot on, page by page: memory holds the state and one page, not all events. */
export async function readState(
  journal: Pick<JournalReader, 'read' | 'snapshot' | 'snapshotParts'>,
  runId: RunId,
): Promise<RunContext> {
  const found = await findSnapshot(journal, runId);
  const next = async (after: number): Promise<readonly CadreEvent[]> => await journal.read(runId, { after, limit: pageSize });
  // The events after a snapshot come while its parts are read.
  const [whole, tail] = await Promise.all([found?.state(), found === undefined ? [] : next(found.seq)]);
  let state = whole;
  for (let ahead = whole === undefined ? undefined : tail; ; ahead = undefined) {
    const page = ahead ?? (await next(state?.seq ?? 0));
    for (const event of page) {
      if (state !== undefined) applyEvent(state, event);
      else if (event.type === 'run.start') state = startRun(event);
      else throw notBegun(runId);
    }
    if (page.length < pageSize) break;
  }
  if (state === undefined) throw notBegun(runId);
  noteRead(state);
  return state;
}

/** Returns the state of a run for viewing, with all of its past. */
export async function withAllPast(journal: Journal, state: RunContext): Promise<RunContext> {
  if (!hasReleased(state)) return state;
  return foldEvents(await journal.read(state.meta.runId), 'everything') ?? state;
}

/** Returns the state of a run to continue. Fails with RUN_IMPORTED when it was read from a file. */
export async function readOwnState(journal: Journal, runId: RunId): Promise<RunContext> {
  const state = await readState(journal, runId);
  assertOwnRun(state.meta);
  return state;
}

function notBegun(runId: RunId): CadreError {
  return new CadreError('STORE_CORRUPT', `run ${runId} does not begin with run.start`);
}

/**
 * Reads a run's state again after its store failed: synchronously when the journal answers so, else when it answers. If the store fails
 * again, the state stays: the error that halted the run already reports it.
 */
export function rereadState(journal: Journal, runId: RunId, reset: (state: RunContext) => void): void {
  const take = (events: readonly CadreEvent[]): void => {
    const state = foldEvents(events);
    if (state !== undefined) reset(state);
  };
  const ignore = (): void => undefined;
  try {
    const events = journal.read(runId);
    if (events instanceof Promise) events.then(take).catch(ignore);
    else take(events);
  } catch {
    ignore();
  }
}
