import type { Clock } from '../core/clock.ts';
import { CadreError } from '../core/error.ts';
import type { Journal, RunSummary } from '../core/events/journal.ts';

/** Which runs are erased. */
export interface PruneOptions {
  /** Least age of a run in milliseconds: since its last event, or with `deleted` since its deletion. */
  readonly olderThanMs: number;
  /** Only runs of this project. */
  readonly project?: string;
  /** Only deleted runs. */
  readonly deleted?: boolean;
  /** Also runs that wait only for a message (`idle`), and that no process holds: a chat never ends by itself. */
  readonly idle?: boolean;
  /** Only runs for which this is true. */
  readonly include?: (run: RunSummary) => boolean;
  /** Erases nothing, and returns what would be erased. */
  readonly dryRun?: boolean;
}

/** What was erased, or would be. */
export interface Pruned {
  readonly runs: readonly RunSummary[];
  /** Number of texts that nothing refers to any more; 0 for a dry run. */
  readonly texts: number;
  /** Ids of runs that could not be erased, because a process holds them. */
  readonly held: readonly string[];
}

/**
 * Erases runs that have ended or are deleted, oldest first, and then the texts that only they referred to; other runs are erased only when
 * they are idle, and only on request. Each run is erased whole; after a failure, those before it stay erased, and another call erases what
 * is left of their texts.
 */
export async function pruneRuns(
  journal: Pick<Journal, 'location' | 'runs' | 'mark' | 'erase' | 'eraseLooseTexts'>,
  clock: Pick<Clock, 'now'>,
  options: PruneOptions,
): Promise<Pruned> {
  if (journal.erase === undefined || journal.eraseLooseTexts === undefined)
    throw new CadreError('STORE_FAILED', `${journal.location}: this store cannot erase runs; nothing was erased`);
  const found = await oldRuns(journal, clock.now() - options.olderThanMs, options);
  if (options.dryRun === true) return { runs: found, texts: 0, held: [] };
  const runs: RunSummary[] = [];
  const held: string[] = [];
  for (const run of found) {
    try {
      // From here on no process can take it.
      if (run.status === 'idle' && run.deletedAt === undefined) await journal.mark?.(run.runId, { deletedAt: clock.now() });
      await journal.erase(run.runId);
      runs.push(run);
    } catch (thrown) {
      const code = thrown instanceof CadreError ? thrown.code : undefined;
      if (code === 'RUN_LOCKED') held.push(run.runId);
      // Another process may have erased it meanwhile.
      else if (code !== 'RUN_UNKNOWN') throw thrown;
    }
  }
  return { runs, texts: await journal.eraseLooseTexts(), held };
}

async function oldRuns(
  journal: Pick<Journal, 'runs'>,
  before: number,
  { project, deleted, idle, include = () => true }: PruneOptions,
): Promise<readonly RunSummary[]> {
  const inProject = project === undefined ? {} : { project };
  const runs = [...(await journal.runs({ ...inProject, isDeleted: true }))];
  if (deleted !== true) runs.push(...(await journal.runs(inProject)));
  const age = (run: RunSummary): number => (deleted === true ? (run.deletedAt ?? Infinity) : run.updatedAt);
  const isWanted = (run: RunSummary): boolean =>
    isOver(run) || (idle === true && run.status === 'idle' && run.isAbandoned === true);
  return runs.filter((run) => isWanted(run) && age(run) <= before && include(run)).toSorted((a, b) => a.updatedAt - b.updatedAt);
}

/** True for a run that has ended or that a person deleted. A damaged one is kept until it is deleted: what is left of it may be wanted. */
function isOver({ status, outcome, isImported, deletedAt }: RunSummary): boolean {
  return deletedAt !== undefined || (status !== 'damaged' && (outcome !== undefined || isImported === true));
}
