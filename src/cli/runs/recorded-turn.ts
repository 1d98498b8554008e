import { foldTurn } from '../../core/fold/fold-turn.ts';
import type { TurnId } from '../../core/ids.ts';
import { findRun } from './find-run.ts';
import { openRecords, RecordedRun } from './recorded-run.ts';

/** One turn of a recorded run: `run` knows it and the turns its prompt shows, as the whole run would, and no others. */
export interface RecordedTurn extends Disposable {
  readonly turnId: TurnId;
  readonly run: RecordedRun;
}

/**
 * Opens one turn of a run without reading the rest of it. Undefined where it takes the whole run to say what is on record about it, or the
 * word names no turn of an agent, or several.
 */
export async function openRecordedTurn(
  store: string | undefined,
  run: string,
  reference: string,
): Promise<RecordedTurn | undefined> {
  const journal = await openRecords(store);
  try {
    const { runId } = findRun(await journal.runs(), run, journal.location);
    const slice = await journal.turnEvents?.(runId, reference);
    const state = slice === undefined ? undefined : foldTurn(slice);
    if (slice !== undefined && state !== undefined) {
      const { events, eventAt, causeOf, turnId } = slice;
      const recorded = new RecordedRun({ state, events, journal, eventAt, causeOf });
      return { turnId, run: recorded, [Symbol.dispose]: () => recorded[Symbol.dispose]() };
    }
  } catch (error) {
    await journal.close();
    throw error;
  }
  await journal.close();
  return undefined;
}
