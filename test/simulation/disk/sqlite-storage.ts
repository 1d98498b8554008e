import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  type NoParamCallback,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import type { Journal } from '../../../src/core/events/journal.ts';
import { createSqliteJournal, SqliteJournal } from '../../../src/journal/sqlite/sqlite-journal.ts';
import { openJournalFile } from '../../../src/journal/sqlite/sqlite-open.ts';
import type { Host } from '../process/host.ts';
import { programOf } from '../process/module-graphs.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import { failWrites } from './failing-database.ts';
import { LogPosition } from './log-position.ts';
import { closeLeftBelow, observeSyncs, type SyncObserver } from './observed-syncs.ts';
import { simProcesses } from './sim-processes.ts';
import { diskError, type Storage } from './storage.ts';

interface Opened {
  readonly journal: Journal;
  readonly database: DatabaseSync;
}

/**
 * The shipped SQLite journal, on files in memory. Each process has its own connection, from its own modules; its writes and syncs are
 * observed from outside.
 *
 * 1. A process that is killed loses nothing it has written. After the last process, the next may find only the files.
 * 2. A power cut takes any part of the log's end that was not synced, in the middle of a frame too, and may leave garbage there; a log
 *    whose name was not synced may be gone. What SQLite moved into the file itself it has synced.
 * 3. The files of the next generation are copies: handles that dead processes left open refer to the old ones.
 */
export class SqliteStorage implements Storage, SyncObserver {
  readonly folder: string;
  readonly #world: World;
  readonly #random: Random;
  readonly #opened = new Map<number, Opened>();
  readonly #left: Opened[] = [];
  readonly #refusing = new Set<number>();
  /** Functions that release each opened database. */
  readonly #letGo: (() => void)[] = [];
  readonly #durability: 'normal' | 'full';
  #generation = 0;
  #position: LogPosition | undefined;
  /** Bytes of the log that were on the disk when it was last looked at from the beginning. */
  #syncedBefore = 0;
  /** The names of the file and its log are on the disk. */
  #areNamesSynced = false;
  #isFileNamed: boolean;
  isFull = false;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.folder = mkdtempSync(path.join(root(), 'seed-'));
    this.#durability = random.chance(0.1) ? 'full' : 'normal';
    mkdirSync(this.#here);
    // Most find a journal; for the others the first process makes one.
    this.#isFileNamed = random.chance(0.9);
    if (this.#isFileNamed) copyFileSync(emptyJournal(), this.#file);
    observeSyncs(this);
  }

  /** Every commit outlives a power cut once it is acknowledged. */
  get syncsAlways(): boolean {
    return this.#durability === 'full';
  }

  open(host: Host): Journal {
    const { openJournalFile: open, SqliteJournal: Journal } = programOf(host.id);
    const file = this.#fileOf(host.id);
    const database = open(file, false);
    this.#letGo.push(failWrites(database, () => this.#fate(host)));
    const options = { durability: this.#durability, processes: simProcesses(this.#world, host.id) };
    const journal = new Journal(file, database, options);
    this.#opened.set(host.id, { journal, database });
    // Prepared once, it would go on answering what was true when it was prepared.
    const level = (): number => Number(database.prepare('PRAGMA synchronous').get()?.['synchronous']);
    return {
      location: file,
      acquire: (runId, owner) => journal.acquire(runId, owner),
      holds: (lease) => journal.holds(lease),
      release: (lease) => journal.release(lease),
      append: (lease, commit) => {
        const look = (): void => void this.#look(level() >= 2);
        const appended = journal.append(lease, commit);
        return appended === undefined ? look() : appended.then(look);
      },
      sync: () => journal.sync(),
      read: (runId, how) => journal.read(runId, how),
      content: (hash) => journal.content(hash),
      runs: (filter) => journal.runs(filter),
      keepSnapshot: (lease, snapshot) => journal.keepSnapshot(lease, snapshot),
      keepSnapshotPart: (lease, name, body) => journal.keepSnapshotPart(lease, name, body),
      snapshot: (runId) => journal.snapshot(runId),
      snapshotParts: (runId) => journal.snapshotParts(runId),
      close: () => this.#close(host, journal),
    };
  }

  read(runId: RunId): readonly CadreEvent[] {
    if (!existsSync(this.#file)) return [];
    const journal = createSqliteJournal(this.#file, { readOnly: true });
    try {
      return isThere(journal, runId) ? (journal.read(runId) as readonly CadreEvent[]) : [];
    } finally {
      void journal.close();
    }
  }

  givesTo(runId: RunId): boolean {
    const file = this.#fileOf(0);
    const rival = new SqliteJournal(file, openJournalFile(file, false), { processes: simProcesses(this.#world, 0) });
    try {
      void rival.acquire(runId, '1@elsewhere#rival');
      return true;
    } catch {
      // Refused, since another holds it, as it must be.
      return false;
    } finally {
      void rival.close();
    }
  }

  abandon(host: Host, isAlone: boolean): void {
    const opened = this.#opened.get(host.id);
    if (opened === undefined || host.state === 'stale') return;
    this.#opened.delete(host.id);
    this.#left.push(opened);
    if (!isAlone || this.#random.chance(0.5)) return;
    this.#look(false);
    this.#moveOn(existsSync(this.#log) ? readFileSync(this.#log) : Buffer.alloc(0), this.#position?.synced ?? 0);
  }

  cutPower(): void {
    this.#left.push(...this.#opened.values());
    this.#opened.clear();
    const end = this.#look(false);
    const synced = this.#position?.synced ?? 0;
    const isLogLost = !this.#areNamesSynced && this.#random.chance(0.5);
    const isFileLost = isLogLost && !this.#isFileNamed;
    const cut = synced + this.#random.int(end - synced + 1);
    const kept = isLogLost || !existsSync(this.#log) ? Buffer.alloc(0) : readFileSync(this.#log).subarray(0, cut);
    if (cut < end) this.#world.faults.count('torn write');
    // The remainder is on the disk.
    this.#moveOn(Buffer.concat([kept, this.#garbage(kept.length)]), kept.length, isFileLost);
    this.#areNamesSynced = kept.length > 0;
    this.#isFileNamed = !isFileLost;
  }

  refuseNext(host: Host): void {
    this.#refusing.add(host.id);
  }

  dispose(): void {
    observeSyncs(undefined);
    for (const letGo of this.#letGo) letGo();
    this.#position?.close();
    for (const { database } of [...this.#left, ...this.#opened.values()]) if (database.isOpen) database.close();
    closeLeftBelow(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }

  onNames(): void {
    this.#areNamesSynced = true;
    this.#isFileNamed = true;
  }

  onData(synced: string, done: NoParamCallback): void {
    const host = Number(/\/p(\d+)\//.exec(synced)?.[1]);
    const end = this.#look(false);
    const position = this.#position;
    const fails = this.#world.faults.strikes('sync fails', 0.1);
    this.#world.scheduler.add(host, 'sync', () => {
      if (fails) return done(diskError('the disk could not be synced') as NodeJS.ErrnoException);
      if (position !== undefined) position.synced = Math.max(position.synced, end);
      done(null);
    });
  }

  get #here(): string {
    return path.join(this.folder, String(this.#generation));
  }

  get #file(): string {
    return path.join(this.#here, 'journal.db');
  }

  get #log(): string {
    return `${this.#file}-wal`;
  }

  /** The file by a name that only one process uses. */
  #fileOf(host: number): string {
    const link = path.join(this.#here, `p${host}`);
    if (!existsSync(link)) symlinkSync('.', link);
    return path.join(link, 'journal.db');
  }

  #fate(host: Host): 'full' | 'writeFailed' | undefined {
    // Commits that wait for the end of a turn of its event loop die with a process.
    if (host.state === 'dead') return 'writeFailed';
    if (this.isFull) return 'full';
    return this.#refusing.delete(host.id) ? this.#random.pick(['full', 'writeFailed'] as const) : undefined;
  }

  /** Follows the log to its end, all of which is synced when SQLite was at that level. */
  #look(isSynced: boolean): number {
    if (!existsSync(this.#file)) return 0;
    this.#position ??= new LogPosition(this.#file, this.#syncedBefore);
    const end = this.#position.look();
    if (isSynced) this.#position.synced = end;
    return end;
  }

  /** The last process that closes the file moves all of the log into it. */
  async #close(host: Host, journal: Journal): Promise<void> {
    await journal.close();
    this.#opened.delete(host.id);
    if (existsSync(this.#log)) return;
    this.#position?.close();
    this.#position = undefined;
    this.#syncedBefore = 0;
    this.#areNamesSynced = false;
    this.#isFileNamed = true;
  }

  /** The files as the next process finds them. */
  #moveOn(log: Buffer, synced: number, isFileLost = false): void {
    const before = this.#file;
    this.#syncedBefore = synced;
    this.#position?.close();
    this.#position = undefined;
    this.#generation += 1;
    mkdirSync(this.#here);
    if (isFileLost) return;
    copyFileSync(before, this.#file);
    if (log.length > 0) writeFileSync(this.#log, log);
    this.#areNamesSynced &&= log.length > 0;
  }

  /** Returns bytes that may follow a torn write. */
  #garbage(seed: number): Buffer {
    const bytes = this.#random.chance(0.5) ? this.#random.int(5_000) : 0;
    return Buffer.from(Uint8Array.from({ length: bytes }, (_, index) => (seed + index * 31) % 251));
  }
}

function isThere(journal: Journal, runId: RunId): boolean {
  return (journal.runs({ runId }) as readonly unknown[]).length > 0;
}

let made: string | undefined;
let template: string | undefined;

/** Returns the folder for journals of this thread: in memory if the system offers it. */
function root(): string {
  if (made !== undefined) return made;
  made = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'cadre-simulation-'));
  const folder = made;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return made;
}

/** An empty journal, as the store makes it. */
function emptyJournal(): string {
  if (template !== undefined) return template;
  template = path.join(root(), 'empty.db');
  void createSqliteJournal(template).close();
  return template;
}
