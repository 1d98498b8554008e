import { checkArgument, checkOptions } from './check-arguments.ts';
import { forksOption, pruneOptions } from './public-options.ts';
import { type Pruned, type PruneOptions, pruneRuns } from './prune-runs.ts';
import type { Clock } from '../core/clock.ts';
import { CadreError } from '../core/error.ts';
import type { RunId } from '../core/ids.ts';
import type { Journal, RunMarks, RunSummary } from '../core/events/journal.ts';

/** A project; it exists as long as it contains runs. */
export interface ProjectRow {
  readonly name: string;
  readonly runs: number;
  /** Time of the latest change to one of its runs, in milliseconds since 1970. */
  readonly updatedAt: number;
}

const longestTitle = 200;
const longestName = 100;

/** The part of a journal that a catalog needs. */
type CatalogJournal = Pick<Journal, 'location' | 'mark' | 'runs' | 'read' | 'erase' | 'eraseLooseTexts'>;

/**
 * Catalog of runs: their titles, projects and deletion marks.
 *
 * Owns: changes to a run's entry. Does not own: the run; only `prune` touches its journal.
 * 1. It works on every run, live elsewhere or ended. Only a run that a process advances cannot be deleted.
 * 2. A deleted run is in no list and cannot be resumed; its data stays, and it can be restored, until `prune` erases it.
 */
export class RunCatalog {
  readonly #journal: CatalogJournal;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(journal: CatalogJournal, clock: Pick<Clock, 'now'>) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Gives a run another title; null restores the one of its journal. */
  async rename(runId: string, title: string | null): Promise<void> {
    checkArgument('catalog.rename: runId', runId, 'name');
    checkArgument('catalog.rename: title', title, 'textOrNull');
    await this.#mark(runId, { title: title === null ? null : checkWords('a title', title, longestTitle) });
  }

  /** Moves a run into a project; null removes it from its project. */
  async move(runId: string, project: string | null): Promise<void> {
    checkArgument('catalog.move: runId', runId, 'name');
    checkArgument('catalog.move: project', project, 'textOrNull');
    await this.#mark(runId, { project: project === null ? null : checkProject(project) });
  }

  /**
   * Marks a run as deleted, with all its forks, direct or not, when `forks` is set; returns the ids. Fails with RUN_LOCKED, marking
   * nothing, when a process advances one of them.
   */
  async remove(runId: string, options: { readonly forks?: boolean } = {}): Promise<readonly string[]> {
    checkArgument('catalog.remove: runId', runId, 'name');
    checkOptions('catalog.remove', options, forksOption);
    const found = await this.#withForks(runId, { forks: options.forks === true, deleted: false });
    const live = found.find(
      (run) => run.outcome === undefined && run.isAbandoned !== true && run.isImported !== true && run.status !== 'damaged',
    );
    // The store checks again; this prevents deleting some of several before one is refused.
    if (live !== undefined && found.length > 1) throw liveRun(live);
    const deletedAt = this.#clock.now();
    for (const run of found) await this.#mark(run.runId, { deletedAt });
    return found.map((run) => run.runId);
  }

  /** Restores a deleted run, with its forks when `forks` is set; returns the restored ids. */
  async restore(runId: string, options: { readonly forks?: boolean } = {}): Promise<readonly string[]> {
    checkArgument('catalog.restore: runId', runId, 'name');
    checkOptions('catalog.restore', options, forksOption);
    const found = await this.#withForks(runId, { forks: options.forks === true, deleted: true });
    for (const run of found) await this.#mark(run.runId, { deletedAt: null });
    return found.map((run) => run.runId);
  }

  /** Erases runs that ended long ago, with their texts. It cannot be undone. Throws STORE_FAILED when the store cannot erase. */
  async prune(options: PruneOptions): Promise<Pruned> {
    checkOptions('catalog.prune', options, pruneOptions);
    // Callers in JavaScript may leave everything out.
    const { olderThanMs }: Partial<PruneOptions> = { ...options };
    checkArgument('catalog.prune: olderThanMs', olderThanMs, 'milliseconds');
    return await pruneRuns(this.#journal, this.#clock, options);
  }

  /** Lists the projects, the most recently changed first. */
  async projects(): Promise<readonly ProjectRow[]> {
    const rows = new Map<string, ProjectRow>();
    for (const { project, updatedAt } of await this.#journal.runs()) {
      if (project === undefined) continue;
      const before = rows.get(project);
      rows.set(project, {
        name: project,
        runs: (before?.runs ?? 0) + 1,
        updatedAt: Math.max(before?.updatedAt ?? 0, updatedAt),
      });
    }
    return [...rows.values()].toSorted((a, b) => b.updatedAt - a.updatedAt || (a.name < b.name ? -1 : 1));
  }

  /** Renames a project: all its runs move, including deleted ones, also into an existing project. Returns how many moved. */
  async renameProject(from: string, to: string): Promise<number> {
    checkArgument('catalog.renameProject: from', from, 'name');
    checkArgument('catalog.renameProject: to', to, 'name');
    const project = checkProject(to);
    const lists = await Promise.all([
      this.#journal.runs({ project: from }),
      this.#journal.runs({ project: from, isDeleted: true }),
    ]);
    const found = lists.flat();
    if (found.length === 0) throw new CadreError('OPTION_INVALID', `there is no project '${from}'${await this.#known()}`);
    for (const { runId } of found) await this.#mark(runId, { project });
    return found.length;
  }

  async #known(): Promise<string> {
    const names = (await this.projects()).map(({ name }) => name);
    return names.length === 0 ? '; a run is put into one with move' : `; there are: ${names.slice(0, 20).join(', ')}`;
  }

  /** Returns a run, with those forks below it that are deleted, or are not. */
  async #withForks(
    runId: string,
    { forks, deleted }: { readonly forks: boolean; readonly deleted: boolean },
  ): Promise<readonly RunSummary[]> {
    const [run] = await this.#journal.runs({ runId: runId as RunId });
    if (run === undefined) throw new CadreError('RUN_UNKNOWN', `${this.#journal.location}: there is no run ${runId}`);
    if (!forks) return [run];
    const all = [...(await this.#journal.runs()), ...(await this.#journal.runs({ isDeleted: true }))];
    const parents = new Map<RunId, RunId>();
    for (const { runId: id } of all) {
      const parent = await this.#parentOf(id);
      if (parent !== undefined) parents.set(id, parent);
    }
    const found = new Map([[run.runId, run]]);
    for (let size = 0; size < found.size;) {
      size = found.size;
      for (const fork of all) if (found.has(parents.get(fork.runId) ?? ('' as RunId))) found.set(fork.runId, fork);
    }
    return [...found.values()].filter((one) => one === run || (one.deletedAt !== undefined) === deleted);
  }

  /**
   * Returns the run that a run was forked from. A run whose first event is damaged counts as no fork and does not block deleting others.
   */
  async #parentOf(runId: RunId): Promise<RunId | undefined> {
    try {
      const [start] = await this.#journal.read(runId, { limit: 1 });
      return start?.type === 'run.start' ? start.parentRun?.runId : undefined;
    } catch (thrown) {
      if (thrown instanceof CadreError && thrown.code === 'STORE_CORRUPT') return undefined;
      throw thrown;
    }
  }

  async #mark(runId: string, change: RunMarks): Promise<void> {
    if (this.#journal.mark === undefined)
      throw new CadreError('STORE_FAILED', `${this.#journal.location}: this store has no place for titles, projects and deletions`);
    await this.#journal.mark(runId as RunId, change);
  }
}

function liveRun({ runId, status }: RunSummary): CadreError {
  const message = `run ${runId} is ${status}; cancel it before it is deleted. Nothing was deleted`;
  return new CadreError('RUN_LOCKED', message, { details: { runId } });
}

/**
 * The name of a project.
 *
 * @throws CadreError `OPTION_INVALID` when it is blank, too long, or more than one line
 */
export function checkProject(name: string): string {
  return checkWords('the name of a project', name, longestName);
}

function checkWords(what: string, text: string, longest: number): string {
  const words = text.trim();
  if (words === '' || words.length > longest || /\p{Cc}/u.test(words) || !words.isWellFormed())
    throw new CadreError('OPTION_INVALID', `${what} is one line of 1 to ${longest} characters`);
  return words;
}
