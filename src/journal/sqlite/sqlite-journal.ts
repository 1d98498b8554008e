import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import type { Commit, Journal, Lease, RunMarks, RunsFilter, RunSummary, Snapshot, TurnEvents } from '../../core/events/journal.ts';
import { assertCommit, assertId, assertLeaseRequest, assertRange, closedJournal, unknownRun } from '../commit-check.ts';
import { FileWatch } from './file-watch.ts';
import { LockWaits, tryBriefly } from './lock-waits.ts';
import { isLocked, leftLeases, toStoreError } from './sqlite-failure.ts';
import { openJournalFile } from './sqlite-open.ts';
import { CommitChain, integrityKey } from '../commit-chain.ts';
import { SqliteAppender } from './sqlite-appender.ts';
import { SqliteAppends } from './sqlite-appends.ts';
import { SqliteEraser } from './sqlite-eraser.ts';
import { checkLeaseTimes } from '../leases/holder.ts';
import { systemProcesses } from '../leases/process-watch.ts';
import { SqliteLeases } from '../leases/sqlite-leases.ts';
import { SqliteMarks } from './sqlite-marks.ts';
import type { SqliteJournalOptions } from './sqlite-journal-options.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { RunSignatures } from './run-signatures.ts';
import { SqliteSnapshots } from './sqlite-snapshots.ts';
import { turnEvents } from '../codec/turn-events.ts';
import { WalSync } from './wal-sync.ts';

/**
 * Opens or creates the journal file at `path`, with its directories.
 *
 * Owns: the file's layout, the durability of commits, the right to append. Does not own: the meaning of events.
 * 1. A commit is one row (a very long one several), written in one statement or transaction together with everything else it
 *    changes.
 * 2. The statement that writes the row also checks the lease and the expected sequence number.
 * 3. The commits of many runs in one turn of the event loop share a transaction, and a sync; each is refused on its own.
 * 4. A commit with `sync` raises SQLite's level to FULL: it syncs the write-ahead log and with it all earlier commits. `sync()`
 *    does the same for earlier commits without `sync`; concurrent calls share one sync.
 * Throws STORE_CORRUPT, STORE_NEWER or STORE_FAILED, as the port says.
 */
export function createSqliteJournal(path: string, options: SqliteJournalOptions = {}): SqliteJournal {
  const database = openJournalFile(path, options.readOnly ?? false);
  try {
    return new SqliteJournal(path, database, options);
  } catch (error) {
    database.close();
    throw toStoreError(error, path, 'opening the journal');
  }
}

/** Journal over an open database of the newest layout, which it closes in the end. */
export class SqliteJournal implements Journal {
  readonly location: string;
  readonly #signatures: RunSignatures | undefined;
  readonly #database: DatabaseSync;
  readonly #reader: SqliteReader;
  readonly #leases: SqliteLeases;
  readonly #marks: SqliteMarks;
  readonly #eraser: SqliteEraser;
  readonly #snapshots: SqliteSnapshots;
  readonly #sync: WalSync;
  readonly #isAlwaysFull: boolean;
  readonly #appends: SqliteAppends;
  readonly #files: FileWatch;
  readonly #waits = new LockWaits();
  #isOpen = true;
  #closing: Promise<void> | undefined;
  #leftBecause: unknown;

  constructor(path: string, database: DatabaseSync, options: SqliteJournalOptions) {
    this.location = path;
    this.#database = database;
    const { takeOver = false, processes: watch = systemProcesses } = options;
    const key = options.integrity === undefined ? undefined : integrityKey(options.integrity);
    const chain = new CommitChain(database, path, key);
    const { signature } = options;
    this.#signatures = signature === undefined ? undefined : new RunSignatures(database, signature);
    this.#snapshots = new SqliteSnapshots(database, key ?? signature?.key);
    this.#reader = new SqliteReader({ database, file: path, watch, chain });
    const times = checkLeaseTimes(options.leases);
    this.#files = new FileWatch(path);
    this.#leases = new SqliteLeases({ database, file: resolve(path), takeOver, watch, times, files: this.#files });
    this.#marks = new SqliteMarks(database, path, watch);
    const drop = (runId: RunId): void => [this.#snapshots, this.#signatures].forEach((kept) => kept?.drop(runId));
    this.#eraser = new SqliteEraser({ database, file: path, watch, drop, write: (work) => this.#write('erasing runs', work) });
    this.#sync = new WalSync(path);
    this.#isAlwaysFull = options.durability === 'full';
    const appender = new SqliteAppender({
      database,
      file: path,
      sync: this.#sync,
      alwaysFull: this.#isAlwaysFull,
      chain,
      signatures: this.#signatures,
    });
    const { isKeyed: isSealed } = chain;
    this.#appends = new SqliteAppends({
      file: path,
      appender,
      files: this.#files,
      isSealed,
      write: (...work) => this.#write(...work),
    });
  }

  acquire(runId: RunId, owner: string): Lease | Promise<Lease> {
    assertLeaseRequest(runId, owner);
    return this.#write(`acquiring run ${runId}`, () => {
      this.#files.assertThere();
      return this.#leases.acquire(runId, owner);
    });
  }

  holds(lease: Lease): boolean {
    return this.#guard(`looking at the lease of run ${lease.runId}`, () => tryBriefly(() => this.#leases.holds(lease)));
  }

  release(lease: Lease): void | Promise<void> {
    if (!this.#isOpen) return undefined;
    this.#leases.giveUp(lease);
    // The lease is given up either way; if that cannot be written now, the next heartbeat writes it.
    return settled(() => this.#write(`releasing run ${lease.runId}`, () => this.#leases.clear(lease)));
  }

  askHolders(): void | Promise<void> {
    return this.#write('asking holders for signs of life', () => this.#leases.askHolders());
  }

  append(lease: Lease, commit: Commit): void | Promise<void> {
    assertCommit(lease, commit);
    if (!this.#isOpen) throw closedJournal(this.location);
    return this.#appends.append(lease, commit);
  }

  async sync(): Promise<void> {
    if (!this.#isOpen) throw closedJournal(this.location);
    if (this.#isAlwaysFull) return;
    try {
      await this.#sync.request();
    } catch (error) {
      this.#files.assertThere();
      throw toStoreError(error, this.location, 'syncing the journal');
    }
    this.#files.assertThere();
  }

  read(runId: RunId, options: { readonly after?: number; readonly limit?: number } = {}): readonly CadreEvent[] {
    const { after = 0, limit = Infinity } = options;
    assertId('run id', runId);
    assertRange(after, limit);
    return this.#guard(`reading run ${runId}`, () => {
      const events = tryBriefly(() => this.#reader.events(runId, after, limit));
      if (events === undefined) throw unknownRun(this.location, runId);
      return events;
    });
  }

  turnEvents(runId: RunId, reference: string): TurnEvents | undefined {
    assertId('run id', runId);
    return this.#guard(`reading a turn of run ${runId}`, () => {
      const commits = tryBriefly(() => this.#reader.commits(runId));
      if (commits === undefined) throw unknownRun(this.location, runId);
      return turnEvents(commits, reference);
    });
  }

  content(hash: ContentHash): string | undefined {
    return this.#guard(`reading content ${hash}`, () => tryBriefly(() => this.#reader.content(hash)));
  }

  runs(filter: RunsFilter = {}): readonly RunSummary[] {
    return this.#guard('listing the runs', () => tryBriefly(() => this.#reader.runs(filter)));
  }

  mark(runId: RunId, change: RunMarks): void | Promise<void> {
    assertId('run id', runId);
    return this.#write(`marking run ${runId}`, () => {
      this.#marks.mark(runId, change);
      this.#files.assertThere();
    });
  }

  keepSnapshot(lease: Lease, snapshot: Snapshot | undefined): void | Promise<void> {
    return this.#write(`keeping a snapshot of run ${lease.runId}`, () => this.#snapshots.keep(lease, snapshot));
  }

  snapshot(runId: RunId): Snapshot | undefined {
    assertId('run id', runId);
    return this.#guard(`reading the snapshot of run ${runId}`, () => tryBriefly(() => this.#snapshots.find(runId)));
  }

  keepSnapshotPart(lease: Lease, name: string, body: string): void | Promise<void> {
    return this.#write(`keeping a part of run ${lease.runId}`, () => this.#snapshots.keepPart(lease, name, body));
  }

  snapshotParts(runId: RunId): ReadonlyMap<string, string> {
    return this.#guard(`reading parts of run ${runId}`, () => tryBriefly(() => this.#snapshots.parts(runId)));
  }

  /**
   * Tells whether only holders of the key of `signature` wrote a run, or since it was adopted; undefined otherwise, and without that
   * option.
   */
  originOf(runId: RunId): 'own' | 'adopted' | undefined {
    return this.#guard(`checking the signature of run ${runId}`, () => tryBriefly(() => this.#signatures?.originOf(runId)));
  }

  /** Signs a run of others as it is now; nothing without `signature`. */
  adopt(runId: RunId): void | Promise<void> {
    return this.#write(`signing run ${runId}`, () => this.#signatures?.adopt(runId));
  }

  async erase(runId: RunId): Promise<void> {
    assertId('run id', runId);
    await this.#whole(`erasing run ${runId}`, () => this.#eraser.erase(runId));
  }

  async eraseLooseTexts(): Promise<number> {
    return await this.#whole('erasing texts of erased runs', () => this.#eraser.eraseLooseTexts());
  }

  close(): void | Promise<void> {
    if (this.#closing !== undefined || !this.#isOpen) return this.#closing;
    this.#appends.flush();
    this.#leases.giveUpAll();
    const synced = this.#sync.close();
    const cleared = settled(() => this.#waits.run(() => this.#clearAll()));
    this.#isOpen = false;
    if (synced === undefined && cleared === undefined) return this.#closeFile();
    this.#closing = Promise.allSettled([synced, cleared]).then(() => this.#closeFile());
    return this.#closing;
  }

  #clearAll(): void {
    try {
      this.#leases.clearAll();
    } catch (thrown) {
      this.#leftBecause = thrown;
      if (isLocked(thrown)) throw thrown;
      // On a full disk, moving the log into the file may make room in the log.
      this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      this.#leases.clearAll();
    }
  }

  /** Leases that could not be cleared must not keep the file open. */
  #closeFile(): void {
    const { uncleared } = this.#leases;
    if (uncleared.length > 0) process.emitWarning(leftLeases(this.location, uncleared, this.#leftBecause), 'CadreWarning');
    this.#database.close();
  }

  #write<T>(doing: string, work: () => T): T | Promise<T> {
    return this.#guard(doing, () => {
      const done = this.#waits.run(() => this.#whileOpen(work));
      if (!(done instanceof Promise)) return done;
      return done.catch((error: unknown) => {
        throw toStoreError(error, this.location, doing);
      });
    });
  }

  /** Does work that takes many reads and writes, between which the journal may be closed. */
  async #whole<T>(doing: string, work: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) throw closedJournal(this.location);
    this.#files.assertThere();
    try {
      return await work();
    } catch (error) {
      throw this.#isOpen ? toStoreError(error, this.location, doing) : closedJournal(this.location);
    }
  }

  #whileOpen<T>(work: () => T): T {
    if (!this.#database.isOpen) throw closedJournal(this.location);
    return work();
  }

  #guard<T>(doing: string, work: () => T): T {
    if (!this.#isOpen) throw closedJournal(this.location);
    try {
      return work();
    } catch (error) {
      throw toStoreError(error, this.location, doing);
    }
  }
}

/** Does work whose failure does not matter. Returns a promise only when it has to wait. */
function settled(work: () => unknown): Promise<void> | undefined {
  try {
    const done = work();
    if (!(done instanceof Promise)) return undefined;
    return done.then(
      () => undefined,
      () => undefined,
    );
  } catch {
    return undefined;
  }
}
