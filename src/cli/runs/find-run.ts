import { CadreError } from '../../core/error.ts';
import type { Journal, RunSummary } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import { thisCommand } from '../options/this-command.ts';

const maxListed = 8;

/** Finds the run of a journal that a command-line argument refers to, as `findRun` does; lists all runs only when it is neither `last` nor an id. */
export async function findRunIn(journal: Pick<Journal, 'runs' | 'location'>, reference: string): Promise<RunSummary> {
  const filter = reference === 'last' ? { limit: 1 } : { runId: reference as RunId };
  const [only] = reference === '' ? [] : await journal.runs(filter);
  if (only !== undefined && only.deletedAt === undefined) return only;
  return findRun(await journal.runs(), reference, journal.location);
}

/**
 * Finds the run that a command-line argument refers to: `last`, an id, or a prefix of exactly one id, with or without its `run_`.
 * Fails with RUN_UNKNOWN, listing the candidates.
 */
export function findRun(runs: readonly RunSummary[], reference: string, store: string): RunSummary {
  if (runs.length === 0)
    throw new CadreError('RUN_UNKNOWN', `there is no run in ${store} yet; start one with: ${thisCommand(['run'])} "…"`);
  const newestFirst = runs.toSorted((a, b) => b.createdAt - a.createdAt);
  const [newest] = newestFirst;
  if (reference === 'last' && newest !== undefined) return newest;
  const exact = newestFirst.find((run) => run.runId === reference);
  if (exact !== undefined) return exact;
  const found =
    reference === ''
      ? []
      : newestFirst.filter((run) => run.runId.startsWith(reference) || run.runId.startsWith(`run_${reference}`));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const listed = found.length === 0 ? newestFirst : found;
  const names = listed.slice(0, maxListed).map((run) => run.runId);
  const more = listed.length > names.length ? `, and ${listed.length - names.length} more (see: ${thisCommand(['runs'])})` : '';
  const problem =
    found.length === 0
      ? `there is no run '${reference}' in ${store}; newest first, there are`
      : `'${reference}' is a prefix of ${found.length} runs`;
  throw new CadreError('RUN_UNKNOWN', `${problem}: ${names.join(', ')}${more}; 'last' is the newest`);
}
