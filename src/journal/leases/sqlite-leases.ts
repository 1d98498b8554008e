import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunId } from '../../core/ids.ts';
import type { Lease } from '../../core/events/journal.ts';
import { deletedRun, lockedRun } from '../commit-check.ts';
import type { FileWatch } from '../sqlite/file-watch.ts';
import { corruptJournal } from '../sqlite/sqlite-failure.ts';
import { inTransaction } from '../sqlite/sqlite-transaction.ts';
import { type Holder, holderColumns, type LeaseTimes, lookAt, toHolder, type Verdict } from './holder.ts';
import type { ProcessWatch } from './process-watch.ts';
import { SqliteOwners } from './sqlite-owners.ts';

/** Dependencies and settings of a journal's leases. */
export interface LeaseParts {
  readonly database: DatabaseSync;
  readonly file: string;
  /** Takes runs even from a holder that seems alive. */
  readonly takeOver: boolean;
  readonly watch: ProcessWatch;
  readonly times: LeaseTimes;
  /** Checked with each heartbeat. */
  readonly files: FileWatch;
}

/** New lease of a run, and the lease that the file held before. */
interface Taken {
  readonly lease: Lease;
  readonly before: Lease | undefined;
}

/**
 * Leases of one journal file: which owner may append to which run.
 *
 * 1. A run is taken from a holder that is gone, never from one that is alive; `SqliteOwners` finds out which.
 * 2. While an owner holds leases, it writes a heartbeat: one row for all of its runs. Without a lease there is no write and no
 *    timer.
 * 3. A lease that was given up but cannot be cleared (a full disk) is free for this process immediately, and is cleared as soon as
 *    possible.
 */
export class SqliteLeases {
  readonly #parts: LeaseParts;
  readonly #owners: SqliteOwners;
  readonly #held = new Map<RunId, Lease>();
  /** Given up, but still in the file. */
  readonly #uncleared = new Set<Lease>();
  #stopBeating: (() => void) | undefined;
  #statements:
    | {
        readonly find: StatementSync;
        readonly holders: StatementSync;
        readonly isDeleted: StatementSync;
        readonly take: StatementSync;
        readonly leave: StatementSync;
      }
    | undefined;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#owners = new SqliteOwners(parts.database, parts.watch, parts.times);
  }

  /** Takes a run that is free or whose holder is gone. Throws RUN_LOCKED. */
  acquire(runId: RunId, owner: string): Lease {
    const taken = inTransaction(this.#parts.database, () => this.#take(runId, owner));
    if ('verdict' in taken) {
      const { holder, verdict } = taken;
      const { owner: heldBy, since } = holder;
      const knownInMs = verdict.kind === 'unsure' ? verdict.knownInMs : undefined;
      throw lockedRun(this.#parts.file, runId, { owner: heldBy, since, knownInMs });
    }
    const { lease, before } = taken;
    // Only after the commit: if a full disk undid it, the earlier lease is still given up.
    if (before !== undefined) forgetGivenUp(this.#parts.file, before);
    this.#held.set(runId, lease);
    this.#stopBeating ??= this.#startBeating();
    return lease;
  }

  /** Asks each holder whose process is not visible for a heartbeat. Lists show a run as abandoned when no answer arrives. */
  askHolders(): void {
    const { database, watch } = this.#parts;
    const unseen = this.#prepared()
      .holders.all()
      .flatMap((row) => toHolder(row, watch.self) ?? [])
      .filter((holder) => lookAt(holder, watch) === 'unseen');
    if (unseen.length > 0) inTransaction(database, () => unseen.forEach((holder) => this.#owners.checkHolder(holder)));
  }

  /** True when a lease is still the run's current one. */
  holds({ runId, owner, epoch }: Lease): boolean {
    const row = this.#prepared().find.get(runId);
    return row?.['epoch'] === epoch && row['owner'] === owner;
  }

  /** Gives a run up: this process treats it as free immediately; `clear` updates the file. */
  giveUp(lease: Lease): void {
    if (this.#held.get(lease.runId)?.epoch === lease.epoch) this.#held.delete(lease.runId);
    this.#uncleared.add(lease);
    noteGivenUp(this.#parts.file, lease);
    // The next heartbeat retries if it cannot be cleared now.
    this.#stopBeating ??= this.#startBeating();
  }

  /** Gives up every run this journal holds, and stops the heartbeat. */
  giveUpAll(): void {
    for (const lease of this.#held.values()) this.giveUp(lease);
    this.#stopBeating?.();
    this.#stopBeating = undefined;
  }

  /** Clears a lease that was given up. Does nothing when another process has taken the run. */
  clear(lease: Lease): void {
    this.#prepared().leave.run(lease.runId, lease.epoch, lease.owner);
    this.#uncleared.delete(lease);
    forgetGivenUp(this.#parts.file, lease);
    this.#stopIdleHeartbeat();
  }

  /** Clears every lease that was given up. */
  clearAll(): void {
    for (const lease of this.#uncleared) this.clear(lease);
  }

  /** Runs that were given up and are still held in the file. */
  get uncleared(): readonly RunId[] {
    return [...this.#uncleared].map(({ runId }) => runId);
  }

  #take(runId: RunId, owner: string): Taken | { readonly holder: Holder; readonly verdict: Verdict } {
    const { find, take, isDeleted } = this.#prepared();
    const { file, takeOver, watch } = this.#parts;
    const row = find.get(runId);
    if (isDeleted.get(runId) !== undefined) throw deletedRun(file, runId);
    const holder = toHolder(row, watch.self);
    const epoch = row?.['epoch'] ?? 0;
    if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch + 1))
      throw corruptJournal(file, `its epoch ${JSON.stringify(epoch)} is not a whole number`, {
        where: `table leases, row ${runId}`,
      });
    const before = holder === undefined ? undefined : { runId, owner: holder.owner, epoch };
    if (holder !== undefined && before !== undefined && !takeOver) {
      const verdict = isGivenUp(file, before) ? { kind: 'gone' as const } : this.#owners.checkHolder(holder);
      if (verdict.kind !== 'gone') return { holder, verdict };
    }
    this.#owners.register(owner);
    take.run(runId, epoch + 1, owner, Date.now());
    return { lease: { runId, owner, epoch: epoch + 1 }, before };
  }

  #startBeating(): () => void {
    return this.#parts.watch.every(this.#parts.times.heartbeatMs, () => this.#beat());
  }

  #beat(): void {
    this.#parts.files.look();
    try {
      for (const owner of new Set([...this.#held.values()].map((lease) => lease.owner))) this.#owners.beat(owner);
      this.clearAll();
    } catch {
      // The store is full or locked by another process: the next heartbeat retries.
    }
  }

  /** Stops the heartbeat when no lease needs it. */
  #stopIdleHeartbeat(): void {
    if (this.#held.size > 0 || this.#uncleared.size > 0) return;
    this.#stopBeating?.();
    this.#stopBeating = undefined;
  }

  #prepared() {
    const { database } = this.#parts;
    this.#statements ??= {
      find: database.prepare(
        `SELECT leases.epoch, ${holderColumns} FROM leases LEFT JOIN owners ON owners.owner = leases.owner WHERE leases.run_id = ?`,
      ),
      // SQLite takes the columns outside the aggregate from any one lease of each owner.
      holders: database.prepare(
        `SELECT ${holderColumns} FROM leases LEFT JOIN owners ON owners.owner = leases.owner WHERE leases.owner IS NOT NULL GROUP BY leases.owner`,
      ),
      isDeleted: database.prepare('SELECT 1 FROM marks WHERE run_id = ? AND deleted_at IS NOT NULL'),
      take: database.prepare(
        `INSERT INTO leases (run_id, epoch, owner, since) VALUES (?, ?, ?, ?)
         ON CONFLICT (run_id) DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, since = excluded.since, birth = NULL`,
      ),
      leave: database.prepare(
        'UPDATE leases SET owner = NULL, since = NULL, birth = NULL WHERE run_id = ? AND epoch = ? AND owner = ?',
      ),
    };
    return this.#statements;
  }
}

/**
 * Leases that journals of this process gave up but could not clear in their files, as on a full disk. Shared by all engines of the
 * process: an engine opened later must not find a run locked by its own process. An entry is removed with its lease.
 */
// Not state of a run: leases that this process has given up.
const givenUp = new Set<string>();

/** Notes that a lease is no longer used although its file still holds it. */
function noteGivenUp(file: string, lease: Lease): void {
  givenUp.add(keyOf(file, lease));
}

/** True when this process has given up a lease. */
function isGivenUp(file: string, lease: Lease): boolean {
  return givenUp.has(keyOf(file, lease));
}

/** Removes a note once the file is up to date or another owner holds the run. */
function forgetGivenUp(file: string, lease: Lease): void {
  givenUp.delete(keyOf(file, lease));
}

function keyOf(file: string, { runId, owner, epoch }: Lease): string {
  return JSON.stringify([file, runId, owner, epoch]);
}
