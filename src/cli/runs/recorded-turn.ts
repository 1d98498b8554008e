import { foldTurn } from '../../core/fold/fold-turn.ts';
import type { TurnId } from '../../core/ids.ts';
import { findRunIn } from './find-run.ts';
import { openRecords, RecordedRun } from './recorded-run.ts';

/** One turn of a recorded run; `run` holds only that turn and the turns shown in its prompt. */
export interface RecordedTurn extends Disposable {
  readonly turnId: TurnId;
  readonly run: RecordedRun;
}

/**
 * Opens one turn without reading the rest of its run. Undefined when its record depends on the whole run, or when the argument does not
 * name exactly one agent's turn.
 */
export async function openRecordedTurn(
  store: string | undefined,
  run: string,
  reference: string,
): Promise<RecordedTurn | undefined> {
  const journal = await openRecords(store);
  try {
    const { runId } = await findRunIn(journal, run);
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
