import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { RunImport } from '../../core/events/run-events.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { RunBundle } from '../../inspect/bundle.ts';
import { isKnown } from '../launch/free-run-id.ts';

/** Options for importing a bundle into a journal. */
export interface ImportOptions {
  /** Name of the bundle's source, as given by the caller. */
  readonly from: string;
  /** Now, in milliseconds since 1970. */
  readonly at: number;
  readonly hash: (text: string) => ContentHash;
  /** The writer, in the form of a lease's owner. */
  readonly owner: string;
  /** New id for the run. */
  readonly asNew?: RunId;
}

/**
 * Imports a run (`readBundle`) into a journal, in one commit: all of it or nothing. The run is marked with its origin and can never
 * continue. Fails with RUN_EXISTS when the journal has a run of this id.
 */
export async function importRun(journal: Journal, bundle: RunBundle, options: ImportOptions): Promise<RunId> {
  const runId = options.asNew ?? bundle.run.runId;
  if (await isKnown(journal, runId)) throw existing(journal, runId);
  const facts = JSON.stringify(bundle.profiles);
  const imported: RunImport = {
    from: options.from,
    at: options.at,
    exportedAt: bundle.exportedAt,
    ...(runId === bundle.run.runId ? {} : { runId: bundle.run.runId }),
    redacted: bundle.redacted,
    facts: options.hash(facts),
  };
  const events = bundle.events.map((event): CadreEvent =>
    event.type === 'run.start' ? { ...event, runId, imported } : { ...event, runId },
  );
  const contents = Object.entries(bundle.contents).map(([hash, text]) => ({ hash: hash as ContentHash, text }));
  const lease = await journal.acquire(runId, options.owner);
  try {
    await journal.append(lease, {
      runId,
      expectedSeq: 0,
      events,
      contents: [...contents, { hash: imported.facts, text: facts }],
      sync: true,
    });
  } catch (thrown) {
    // Another process imported the run first.
    if (thrown instanceof CadreError && thrown.code === 'STORE_CONFLICT') throw existing(journal, runId);
    throw thrown;
  } finally {
    await journal.release(lease);
  }
  return runId;
}

function existing(journal: Journal, runId: RunId): CadreError {
  return new CadreError(
    'RUN_EXISTS',
    `${journal.location}: there is a run ${runId} already, and nothing was imported; import it under a new id (cadre import FILE --as-new), or into another journal (--store)`,
    { details: { runId } },
  );
}
