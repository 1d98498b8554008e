import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CadreEvent } from '../core/event.ts';
import type { ContentHash, RunId } from '../core/ids.ts';
import type { Commit, Journal, Lease, RunMarks, RunsFilter, RunSummary } from '../core/journal.ts';
import { assertCommit, assertId, assertLeaseRequest, assertRange, closedJournal, unknownRun } from './commit-check.ts';
import { leftLeases, toStoreError } from './sqlite-failure.ts';
import { openJournalFile } from './sqlite-open.ts';
import { CommitChain, integrityKey, type IntegrityOptions } from './commit-chain.ts';
import { SqliteAppender } from './sqlite-appender.ts';
import { checkLeaseTimes, type LeaseTimes } from './leases/holder.ts';
import { type ProcessWatch, systemProcesses } from './leases/process-watch.ts';
import { SqliteLeases } from './leases/sqlite-leases.ts';
import { SqliteMarks } from './sqlite-marks.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { WalSync } from './wal-sync.ts';

/** How a journal file is opened. */
export interface SqliteJournalOptions {
  /** Only reads; works while another process writes, and on files that cannot be written. */
  readonly readOnly?: boolean;
  /**
   * `normal`: a commit survives a killed process, and a power cut unless it is among the latest ones that did not ask for `sync`.
   * `full`: every commit survives a power cut.
   */
  readonly durability?: 'normal' | 'full';
  /** Takes runs even from a holder that seems alive: the old holder's next append fails. For a holder that hangs or cannot be looked at. */
  readonly takeOver?: boolean;
  /**
   * How often a process that holds runs gives a sign of life, and after how long a silence others take its runs: 5 and 30 seconds unless
   * said. Only counts where one process cannot look at the other: another host, another container.
   */
  readonly leases?: Partial<LeaseTimes>;
  /** Seals what is written with a key, and checks the seals of what is read: a commit that was changed or added by others is STORE_CORRUPT. */
  readonly integrity?: IntegrityOptions | undefined;
  /** The processes around this one, where they are not those of the system: a simulation. */
  readonly processes?: ProcessWatch;
}

/**
 * Opens or creates the journal file at `path`, with the directories it lies in.
 *
 * Owns: the file's layout, what is durable when, who may append. Does not own: what the events mean.
 * 1. A commit is one row (a very long one several), written by one statement or one transaction together with everything else that changes.
 * 2. The lease and the expected sequence number are checked by the very statement that writes the row.
 * 3. A commit with `sync` raises SQLite's own level to FULL: it syncs the write-ahead log and with it all earlier commits. `sync()` does the
 *    same for what was committed without, once for all who ask at a time.
 *
 * Fails with STORE_CORRUPT, STORE_NEWER or STORE_FAILED, as the port says.
 */
export function createSqliteJournal(path: string, options: SqliteJournalOptions = {}): Journal {
  const database = openJournalFile(path, options.readOnly ?? false);
  try {
    return new SqliteJournal(path, database, options);
  } catch (error) {
    database.close();
    throw toStoreError(error, path, 'opening the journal');
  }
}

/** A journal over an open database of the newest layout, which it closes in the end. */
export class SqliteJournal implements Journal {
  readonly location: string;
  readonly #database: DatabaseSync;
  readonly #reader: SqliteReader;
  readonly #leases: SqliteLeases;
  readonly #appender: SqliteAppender;
  readonly #marks: SqliteMarks;
  readonly #sync: WalSync;
  readonly #isAlwaysFull: boolean;

  constructor(path: string, database: DatabaseSync, options: SqliteJournalOptions) {
    this.location = path;
    this.#database = database;
    const { takeOver = false, processes: watch = systemProcesses } = options;
    const chain = new CommitChain(database, path, options.integrity === undefined ? undefined : integrityKey(options.integrity));
    this.#reader = new SqliteReader(database, path, watch, chain);
    const times = checkLeaseTimes(options.leases);
    this.#leases = new SqliteLeases({ database, file: resolve(path), takeOver, watch, times });
    this.#marks = new SqliteMarks(database, path, watch);
    this.#sync = new WalSync(path);
    this.#isAlwaysFull = options.durability === 'full';
    this.#appender = new SqliteAppender(this.#database, path, this.#sync, { alwaysFull: this.#isAlwaysFull, chain });
  }

  acquire(runId: RunId, owner: string): Lease {
    assertLeaseRequest(runId, owner);
    return this.#guard(`acquiring run ${runId}`, () => this.#leases.acquire(runId, owner));
  }

  release(lease: Lease): void {
    if (!this.#database.isOpen) return;
    this.#guard(`releasing run ${lease.runId}`, () => this.#leases.release(lease));
  }

  askHolders(): void {
    this.#guard('asking holders for signs of life', () => this.#leases.askHolders());
  }

  append(lease: Lease, commit: Commit): void {
    assertCommit(lease, commit);
    if (!this.#database.isOpen) throw closedJournal(this.location);
    try {
      this.#appender.append(lease, commit);
    } catch (error) {
      throw toStoreError(error, this.location, `appending to run ${commit.runId} after seq ${commit.expectedSeq}`);
    }
  }

  async sync(): Promise<void> {
    if (!this.#database.isOpen) throw closedJournal(this.location);
    if (this.#isAlwaysFull) return;
    try {
      await this.#sync.request();
    } catch (error) {
      throw toStoreError(error, this.location, 'syncing the journal');
    }
  }

  read(runId: RunId, options: { readonly after?: number; readonly limit?: number } = {}): readonly CadreEvent[] {
    const { after = 0, limit = Infinity } = options;
    assertId('run id', runId);
    assertRange(after, limit);
    return this.#guard(`reading run ${runId}`, () => {
      const events = this.#reader.events(runId, after, limit);
      if (events === undefined) throw unknownRun(this.location, runId);
      return events;
    });
  }

  content(hash: ContentHash): string | undefined {
    return this.#guard(`reading content ${hash}`, () => this.#reader.content(hash));
  }

  runs(filter: RunsFilter = {}): readonly RunSummary[] {
    return this.#guard('listing the runs', () => this.#reader.runs(filter));
  }

  mark(runId: RunId, change: RunMarks): void {
    assertId('run id', runId);
    this.#guard(`marking run ${runId}`, () => this.#marks.mark(runId, change));
  }

  close(): Promise<void> | undefined {
    if (!this.#database.isOpen) return undefined;
    const synced = this.#sync.close();
    if (synced !== undefined) return synced.then(() => this.#close());
    this.#close();
    return undefined;
  }

  #close(): void {
    if (!this.#database.isOpen) return;
    // What cannot be cleared keeps nothing from being closed.
    const { runIds, cause } = this.#leases.releaseAll();
    if (runIds.length > 0) process.emitWarning(leftLeases(this.location, runIds, cause), 'CadreWarning');
    this.#guard('closing', () => this.#database.close());
  }

  #guard<T>(doing: string, work: () => T): T {
    if (!this.#database.isOpen) throw closedJournal(this.location);
    try {
      return work();
    } catch (error) {
      throw toStoreError(error, this.location, doing);
    }
  }
}
