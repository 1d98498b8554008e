import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunId } from '../../core/ids.ts';
import type { RunMarks } from '../../core/events/journal.ts';
import { assertMayDelete, unknownRun } from '../commit-check.ts';
import { type Holder, holderColumns, seemsGone, toHolder } from '../leases/holder.ts';
import type { ProcessWatch } from '../leases/process-watch.ts';
import { isOpenStatus } from '../run-summary.ts';
import { inTransaction } from './sqlite-transaction.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * People's marks on runs: another title, a project, deletion. They are stored beside the runs, so a run that is over or held by
 * another process can be marked like any other.
 */
export class SqliteMarks {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #watch: ProcessWatch;
  #statements: { readonly find: StatementSync; readonly set: StatementSync; readonly drop: StatementSync } | undefined;

  constructor(database: DatabaseSync, file: string, watch: ProcessWatch) {
    this.#database = database;
    this.#file = file;
    this.#watch = watch;
  }

  /** Changes the marks of a run. Throws RUN_UNKNOWN, and RUN_LOCKED when deleting a run that a process holds. */
  mark(runId: RunId, change: RunMarks): void {
    const { find, set, drop } = this.#prepared();
    inTransaction(this.#database, () => {
      const row = find.get(runId);
      if (row === undefined) throw unknownRun(this.#file, runId);
      if (typeof change.deletedAt === 'number' && isOpenStatus(String(row['status'])))
        assertMayDelete(this.#file, runId, this.#holderOf(row));
      const title = change.title === undefined ? row['title'] : change.title;
      const project = change.project === undefined ? row['project'] : change.project;
      const deletedAt = change.deletedAt === undefined ? row['deleted_at'] : change.deletedAt;
      if (title === null && project === null && deletedAt === null) drop.run(runId);
      else set.run(runId, title ?? null, project ?? null, deletedAt ?? null);
    });
  }

  /** Returns the run's current holder. */
  #holderOf(row: Row): Holder | undefined {
    const holder = toHolder(row, this.#watch.self);
    return holder === undefined || seemsGone(holder, this.#watch) ? undefined : holder;
  }

  #prepared() {
    this.#statements ??= {
      find: this.#database.prepare(
        `SELECT runs.status, marks.title, marks.project, marks.deleted_at, ${holderColumns}
         FROM runs LEFT JOIN marks ON marks.run_id = runs.run_id LEFT JOIN leases ON leases.run_id = runs.run_id
         LEFT JOIN owners ON owners.owner = leases.owner WHERE runs.run_id = ?`,
      ),
      set: this.#database.prepare(
        `INSERT INTO marks (run_id, title, project, deleted_at) VALUES (?, ?, ?, ?) ON CONFLICT (run_id)
         DO UPDATE SET title = excluded.title, project = excluded.project, deleted_at = excluded.deleted_at`,
      ),
      drop: this.#database.prepare('DELETE FROM marks WHERE run_id = ?'),
    };
    return this.#statements;
  }
}
