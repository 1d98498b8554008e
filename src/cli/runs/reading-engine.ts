import { createEngine } from '../../engine/create-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Journal } from '../../core/events/journal.ts';
import { journalSecrets } from '../options/journal-key.ts';
import { openRecords } from './recorded-run.ts';

/** An engine over a journal that is open for reading only: it decides recorded turns again and can advance no run. */
export interface ReadingEngine extends AsyncDisposable {
  readonly engine: Engine;
  readonly journal: Journal;
}

/** Opens an engine over an existing journal, without own profiles, tools and models. */
export async function openReadingEngine(store: string | undefined): Promise<ReadingEngine> {
  const journal = await openRecords(store);
  try {
    const engine = await createEngine({ profiles: { files: [] }, store: journal, ...journalSecrets(store) });
    return {
      engine,
      journal,
      [Symbol.asyncDispose]: async () => {
        await engine.close();
        await journal.close();
      },
    };
  } catch (thrown) {
    await journal.close();
    throw thrown;
  }
}
