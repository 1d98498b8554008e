import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunId } from '../core/ids.ts';
import type { Lease } from '../core/journal.ts';
import { deletedRun, lockedRun } from './commit-check.ts';
import { isOwnerAlive, parseOwner, processBirth } from './lease-owner.ts';
import { inTransaction } from './sqlite-transaction.ts';

/** The leases of one journal file: who may append to which run. */
export class SqliteLeases {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #takeOver: boolean;
  readonly #held = new Map<RunId, Lease>();
  #statements:
    | {
        readonly find: StatementSync;
        readonly isDeleted: StatementSync;
        readonly take: StatementSync;
        readonly leave: StatementSync;
      }
    | undefined;

  constructor(database: DatabaseSync, file: string, takeOver: boolean) {
    this.#database = database;
    this.#file = file;
    this.#takeOver = takeOver;
  }

  /** Takes a run from nobody, or from a holder that is gone. Fails with RUN_LOCKED. */
  acquire(runId: RunId, owner: string): Lease {
    const { find, take, isDeleted } = this.#prepared();
    const birth = processBirth(parseOwner(owner)?.pid ?? 0) ?? null;
    const lease = inTransaction(this.#database, () => {
      const row = find.get(runId);
      if (isDeleted.get(runId) !== undefined) throw deletedRun(this.#file, runId);
      const holder = row?.['owner'];
      if (typeof holder === 'string' && !this.#takeOver) {
        const holderBirth = row?.['birth'];
        const alive = isOwnerAlive(holder, typeof holderBirth === 'string' ? holderBirth : null);
        if (alive) throw lockedRun(this.#file, runId, holder, Number(row?.['since']));
      }
      const epoch = Number(row?.['epoch'] ?? 0) + 1;
      take.run(runId, epoch, owner, Date.now(), birth);
      return { runId, owner, epoch };
    });
    this.#held.set(runId, lease);
    return lease;
  }

  /** Gives a run back; nothing happens when somebody else has taken it over. */
  release(lease: Lease): void {
    this.#prepared().leave.run(lease.runId, lease.epoch, lease.owner);
    if (this.#held.get(lease.runId)?.epoch === lease.epoch) this.#held.delete(lease.runId);
  }

  /** Gives back every run this journal holds. */
  releaseAll(): void {
    for (const lease of this.#held.values()) this.release(lease);
  }

  #prepared() {
    this.#statements ??= {
      find: this.#database.prepare('SELECT epoch, owner, since, birth FROM leases WHERE run_id = ?'),
      isDeleted: this.#database.prepare('SELECT 1 FROM marks WHERE run_id = ? AND deleted_at IS NOT NULL'),
      take: this.#database.prepare(
        `INSERT INTO leases (run_id, epoch, owner, since, birth) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (run_id) DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, since = excluded.since, birth = excluded.birth`,
      ),
      leave: this.#database.prepare(
        'UPDATE leases SET owner = NULL, since = NULL, birth = NULL WHERE run_id = ? AND epoch = ? AND owner = ?',
      ),
    };
    return this.#statements;
  }
}
