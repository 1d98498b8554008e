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
  /** Called after each erased run, before the next one: what lies beside the journal can go with it. A failure ends the call. */
  readonly onErased?: (run: RunSummary) => void | Promise<void>;
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
  const isChosen = choice(clock.now() - options.olderThanMs, options);
  const found = await oldRuns(journal, isChosen, options);
  if (options.dryRun === true) return { runs: found, texts: 0, held: [] };
  const runs: RunSummary[] = [];
  const held: string[] = [];
  for (const run of found) {
    try {
      if (!(await eraseChosen(journal, run, { isChosen, now: clock.now() }))) continue;
    } catch (thrown) {
      const code = thrown instanceof CadreError ? thrown.code : undefined;
      if (code === 'RUN_LOCKED') held.push(run.runId);
      // Another process may have erased it meanwhile.
      else if (code !== 'RUN_UNKNOWN') throw thrown;
      continue;
    }
    runs.push(run);
    await options.onErased?.(run);
  }
  return { runs, texts: await journal.eraseLooseTexts(), held };
}

/** Erases a run that is still chosen: a list of many runs takes minutes, and people go on meanwhile. False when it is not erased. */
async function eraseChosen(
  journal: Pick<Journal, 'runs' | 'mark' | 'erase'>,
  { runId, status, deletedAt }: RunSummary,
  { isChosen, now }: { readonly isChosen: (run: RunSummary) => boolean; readonly now: number },
): Promise<boolean> {
  const isHidden = status === 'idle' && deletedAt === undefined;
  // From here on no process can take it.
  if (isHidden) await journal.mark?.(runId, { deletedAt: now });
  const [run] = await journal.runs({ runId });
  if (run === undefined) return false;
  const { deletedAt: _, ...shown } = run;
  if (!isChosen(isHidden ? shown : run)) {
    if (isHidden) await journal.mark?.(runId, { deletedAt: null });
    return false;
  }
  await journal.erase?.(runId);
  return true;
}

/** Returns the test for runs that are erased. */
function choice(before: number, { project, deleted, idle, include = () => true }: PruneOptions): (run: RunSummary) => boolean {
  const age = (run: RunSummary): number => (deleted === true ? (run.deletedAt ?? Infinity) : run.updatedAt);
  const isWanted = (run: RunSummary): boolean =>
    isOver(run) || (idle === true && run.status === 'idle' && run.isAbandoned === true);
  return (run) => (project === undefined || run.project === project) && isWanted(run) && age(run) <= before && include(run);
}

async function oldRuns(
  journal: Pick<Journal, 'runs'>,
  isChosen: (run: RunSummary) => boolean,
  { project, deleted }: PruneOptions,
): Promise<readonly RunSummary[]> {
  const inProject = project === undefined ? {} : { project };
  const runs = [...(await journal.runs({ ...inProject, isDeleted: true }))];
  if (deleted !== true) runs.push(...(await journal.runs(inProject)));
  return runs.filter(isChosen).toSorted((a, b) => a.updatedAt - b.updatedAt);
}

/** True for a run that has ended or that a person deleted. A damaged one is kept until it is deleted: what is left of it may be wanted. */
function isOver({ status, outcome, isImported, deletedAt }: RunSummary): boolean {
  return deletedAt !== undefined || (status !== 'damaged' && (outcome !== undefined || isImported === true));
}
