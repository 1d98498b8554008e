import { CadreError } from '../../core/error.ts';
import type { EventOf, CadreEvent } from '../../core/events/event.ts';
import type { RunImport } from '../../core/events/run-events.ts';
import { type Journal, storedText } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { areFacts } from '../../inspect/bundle/facts-check.ts';
import { fromPlainFacts, type PlainProfileFacts, type ProfileFacts } from '../../inspect/turn/profile-facts.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import type { RunBundle } from '../../inspect/bundle.ts';
import { isKnown } from '../launch/free-run-id.ts';
import { readJson } from '../../core/read-json.ts';

/** Marks of an import: on the run's first event, or in its meta. */
type Imported = Pick<EventOf<'run.start'>, 'runId'> & { readonly imported?: RunImport | undefined };

/**
 * Returns why a run that was read from a file cannot go on: its history is unverified. It may claim that a call is approved, and its
 * profiles may declare programs to start; none of it is ever executed.
 */
export function importedRefusal({ runId, imported }: Imported): CadreError | undefined {
  if (imported === undefined) return undefined;
  const { from, at } = imported;
  return new CadreError(
    'RUN_IMPORTED',
    `run ${runId} was imported from ${from} at ${new Date(at).toISOString()}: it is there to be looked at and cannot go on, be decided over or be forked, since its history and its profiles are not of this machine; start a run of your own`,
    { details: { runId, from } },
  );
}

/** Refuses to continue a run that was read from a file, whatever the operation. Fails with RUN_IMPORTED. */
export function assertOwnRun(about: Imported): void {
  const refused = importedRefusal(about);
  if (refused !== undefined) throw refused;
}

/** Returns the profile facts that views of an imported run need, as stated in its bundle; its profile files are never compiled here. */
export function importedFacts(
  journal: Pick<Journal, 'location' | 'content'>,
  { meta }: Pick<RunContext, 'meta'>,
): ReadonlyMap<string, ProfileFacts> {
  const stored = meta.imported === undefined ? undefined : storedText(journal, meta.imported.facts);
  return new Map(Object.entries(plainFactsOf(stored)).map(([name, facts]) => [name, fromPlainFacts(facts)]));
}

/** Parses stored facts; empty when the text is missing or invalid. */
export function plainFactsOf(stored: string | undefined): Readonly<Record<string, PlainProfileFacts>> {
  if (stored === undefined) return {};
  const value: unknown = readJson(stored);
  return areFacts(value) ? value : {};
}

/** Options for importing a bundle into a journal. */
interface ImportOptions {
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
