import { CadreError } from '../../core/error.ts';
import type { EventOf } from '../../core/events/event.ts';
import type { RunImport } from '../../core/events/run-events.ts';
import { type Journal, storedText } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { areFacts } from '../../inspect/bundle/facts-check.ts';
import { fromPlainFacts, type PlainProfileFacts, type ProfileFacts } from '../../inspect/turn/profile-facts.ts';

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
  const value: unknown = JSON.parse(stored);
  return areFacts(value) ? value : {};
}
