import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { RunId } from '../../core/ids.ts';
import { addressesIn } from '../codec/text-refs.ts';
import { assertMayErase, unknownRun } from '../commit-check.ts';
import { type Holder, holderColumns, seemsGone, toHolder } from '../leases/holder.ts';
import type { ProcessWatch } from '../leases/process-watch.ts';
import { findLoose, type FoundText, type TextPlaces } from '../loose-texts.ts';
import { importedMark } from '../run-summary.ts';
import { keySpan } from './sqlite-schema.ts';
import { inTransaction } from './sqlite-transaction.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows read, and texts erased, between two turns of the event loop. */
const pageSize = 200;

/** Dependencies of an eraser. */
interface EraserParts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly watch: ProcessWatch;
  /** Drops what other tables keep of a run, in the same transaction. */
  readonly drop: (runId: RunId) => void;
  /** Does work that needs the file's lock. */
  readonly write: <T>(work: () => T) => T | Promise<T>;
}

/** A run as it was looked at, before its rows are erased. */
interface Found {
  readonly run: number;
  /** Key of its last row. */
  readonly lastKey: number;
}

/** The journal as a search found it. */
interface Seen {
  /** Changes with every change to the file, also with heartbeats. */
  state: string;
  /** Key of the last row of each run, by its number. */
  readonly lastKeys: Map<number, number>;
}

/**
 * Erases runs, and texts that nothing refers to.
 *
 * 1. A run is erased in one transaction, which also notes its texts in `loose_texts`: an interrupted `eraseLooseTexts` loses none of them.
 * 2. Reading needs no lock. A text is erased only in a transaction in which no commit refers to it that was written since the search.
 * 3. Freed pages are overwritten. The number of an erased run is not given to another run; its lease keeps its epoch.
 */
export class SqliteEraser {
  readonly #parts: EraserParts;
  #statements: Readonly<Record<keyof typeof sql, StatementSync>> | undefined;

  constructor(parts: EraserParts) {
    this.#parts = parts;
  }

  /** Erases a run. Throws RUN_UNKNOWN or RUN_LOCKED. */
  async erase(runId: RunId): Promise<void> {
    await this.#parts.write(() => this.#prepareFile());
    for (;;) {
      const found = this.#find(runId);
      const refs = new Set<string>();
      for await (const page of this.#bodies(found.run * keySpan, found.lastKey))
        for (const body of page) for (const address of addressesIn(body)) refs.add(address);
      if (await this.#parts.write(() => inTransaction(this.#parts.database, () => this.#remove(runId, found, refs)))) return;
    }
  }

  /** Erases loose texts; returns how many. */
  async eraseLooseTexts(): Promise<number> {
    await this.#parts.write(() => this.#prepareFile());
    let erased = 0;
    for (let isDone = false; !isDone;) {
      const noted = this.#prepared().noted.all();
      if (noted.length === 0) break;
      const seen = this.#seen();
      const places = this.#places();
      const loose = await findLoose(
        places,
        noted.map(({ hash }) => String(hash)),
      );
      const { count, isCurrent } = await this.#eraseTexts(loose, seen);
      erased += count;
      isDone = isCurrent;
      if (isDone) await this.#parts.write(() => inTransaction(this.#parts.database, () => this.#forget(noted)));
    }
    this.#truncateLog();
    return erased;
  }

  /** Erases texts in portions, until a commit turns up that refers to one of them. */
  async #eraseTexts(loose: ReadonlySet<string>, seen: Seen): Promise<{ readonly count: number; readonly isCurrent: boolean }> {
    const { database, write } = this.#parts;
    const all = [...loose];
    let count = 0;
    for (let at = 0; at < all.length; at += pageSize) {
      const portion = all.slice(at, at + pageSize);
      const erased = await write(() =>
        inTransaction(database, () => {
          if (!this.#isCurrent(seen, loose)) return undefined;
          let changes = 0;
          for (const hash of portion) changes += Number(this.#prepared().eraseText.run(hash).changes);
          return changes;
        }),
      );
      if (erased === undefined) return { count, isCurrent: false };
      count += erased;
      await turnOfTheLoop();
    }
    return { count, isCurrent: true };
  }

  #forget(noted: readonly Row[]): void {
    for (const { hash, run_id: runId } of noted) this.#prepared().forget.run(String(hash), String(runId));
  }

  #seen(): Seen {
    const state = this.#state();
    return {
      state,
      lastKeys: new Map(
        this.#prepared()
          .lastKeys.all()
          .map((row) => [Number(row['run']), Number(row['last_key'])]),
      ),
    };
  }

  /** False when a commit that was written since the search refers to one of these texts, directly or through a text that lists it. */
  #isCurrent(seen: Seen, loose: ReadonlySet<string>): boolean {
    const state = this.#state();
    if (state === seen.state) return true;
    const { lastKeys, bodies } = this.#prepared();
    for (const row of lastKeys.all()) {
      const run = Number(row['run']);
      const to = Number(row['last_key']);
      const last = seen.lastKeys.get(run) ?? run * keySpan;
      if (to <= last) continue;
      for (const { body } of bodies.iterate({ last, to, limit: -1 })) if (this.#refersTo(loose, String(body))) return false;
      seen.lastKeys.set(run, to);
    }
    seen.state = state;
    return true;
  }

  #refersTo(loose: ReadonlySet<string>, body: string): boolean {
    const read = new Set<string>();
    const queue = [body];
    for (let text = queue.pop(); text !== undefined; text = queue.pop())
      for (const address of addressesIn(text)) {
        if (loose.has(address)) return true;
        if (read.has(address)) continue;
        read.add(address);
        const listed = toText(this.#prepared().text.get(address));
        if (listed !== undefined) queue.push(listed.text);
      }
    return false;
  }

  #find(runId: RunId): Found {
    const row = this.#prepared().find.get(runId);
    if (row === undefined) throw unknownRun(this.#parts.file, runId);
    const run = Number(row['run']);
    const isDeleted = row['is_deleted'] === 1;
    assertMayErase(this.#parts.file, runId, { status: statusOf(row), isDeleted, holder: this.#holderOf(row) });
    return { run, lastKey: Number(row['last_key'] ?? run * keySpan) };
  }

  /** Erases the rows of a run; false when it was written since it was looked at. */
  #remove(runId: RunId, { run, lastKey }: Found, refs: ReadonlySet<string>): boolean {
    const found = this.#find(runId);
    if (found.run !== run || found.lastKey !== lastKey) return false;
    const { note, eraseCommits, eraseSeals, eraseMarks, eraseRun, endLease, noteNumber } = this.#prepared();
    for (const hash of refs) note.run(runId, hash);
    const range = { begin: run * keySpan, end: (run + 1) * keySpan };
    eraseCommits.run(range);
    eraseSeals.run(range);
    eraseMarks.run(runId);
    this.#parts.drop(runId);
    eraseRun.run(run);
    endLease.run(runId);
    noteNumber.run(run);
    return true;
  }

  /** Yields the bodies of commits with keys above `from`, up to `to`. */
  async *#bodies(from: number, to: number): AsyncGenerator<readonly string[]> {
    for (let last = from; ;) {
      const rows = this.#prepared().bodies.all({ last, to, limit: pageSize });
      if (rows.length === 0) return;
      yield rows.map(({ body }) => String(body));
      last = Number(rows.at(-1)?.['key']);
      await turnOfTheLoop();
    }
  }

  #places(): TextPlaces {
    const bodies = this.#bodies(0, Number.MAX_SAFE_INTEGER);
    const { text, texts } = this.#prepared();
    return {
      read: async (hashes) => {
        await turnOfTheLoop();
        return hashes.flatMap((hash) => toText(text.get(hash)) ?? []);
      },
      async *commitRefs() {
        for await (const page of bodies) yield page.flatMap((body) => [...addressesIn(body)]);
      },
      async *texts() {
        for (let last = ''; ;) {
          const rows = texts.all({ last, limit: pageSize });
          if (rows.length === 0) return;
          yield rows.flatMap((row) => toText(row) ?? []);
          last = String(rows.at(-1)?.['hash']);
          await turnOfTheLoop();
        }
      },
    };
  }

  #state(): string {
    const { foreign, own } = this.#prepared();
    return `${String(foreign.get()?.['data_version'])} ${String(own.get()?.['changes'])}`;
  }

  /** Returns the run's current holder. */
  #holderOf(row: Row): Holder | undefined {
    const { watch } = this.#parts;
    const holder = toHolder(row, watch.self);
    return holder === undefined || seemsGone(holder, watch) ? undefined : holder;
  }

  #prepareFile(): void {
    const { database } = this.#parts;
    database.exec('PRAGMA secure_delete = ON');
    const isThere = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'loose_texts'`).get() !== undefined;
    if (!isThere) database.exec(layout);
  }

  /** Moves the log into the file, so that what was erased is not left in the log. Readers may prevent it; the next writer does it then. */
  #truncateLog(): void {
    this.#parts.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  #prepared() {
    const { database } = this.#parts;
    this.#statements ??= Object.fromEntries(Object.entries(sql).map(([name, text]) => [name, database.prepare(text)])) as Readonly<
      Record<keyof typeof sql, StatementSync>
    >;
    return this.#statements;
  }
}

/** Texts of erased runs, until it is known whether something else refers to them. Older versions of Cadre leave the table alone. */
const layout = 'CREATE TABLE IF NOT EXISTS loose_texts (hash TEXT PRIMARY KEY, run_id TEXT NOT NULL) WITHOUT ROWID';

const sql = {
  lastKeys: `SELECT run, (SELECT max(key) FROM commits WHERE key > runs.run << 31 AND key < (runs.run + 1) << 31) AS last_key FROM runs`,
  find: `SELECT runs.run, runs.status, (SELECT max(key) FROM commits WHERE key > runs.run << 31 AND key < (runs.run + 1) << 31) AS last_key,
      EXISTS (SELECT 1 FROM marks WHERE marks.run_id = runs.run_id AND deleted_at IS NOT NULL) AS is_deleted, ${holderColumns}
    FROM runs LEFT JOIN leases ON leases.run_id = runs.run_id LEFT JOIN owners ON owners.owner = leases.owner WHERE runs.run_id = ?`,
  bodies: 'SELECT key, body FROM commits WHERE key > :last AND key <= :to ORDER BY key LIMIT :limit',
  text: 'SELECT hash, text FROM contents WHERE hash = ?',
  texts: 'SELECT hash, text FROM contents WHERE hash > :last ORDER BY hash LIMIT :limit',
  note: `INSERT INTO loose_texts (run_id, hash) SELECT ?1, hash FROM contents WHERE hash = ?2
    ON CONFLICT (hash) DO UPDATE SET run_id = excluded.run_id`,
  noted: 'SELECT hash, run_id FROM loose_texts',
  forget: 'DELETE FROM loose_texts WHERE hash = ? AND run_id = ?',
  eraseText: 'DELETE FROM contents WHERE hash = ?',
  eraseCommits: 'DELETE FROM commits WHERE key > :begin AND key < :end',
  eraseSeals: 'DELETE FROM seals WHERE key > :begin AND key < :end',
  eraseMarks: 'DELETE FROM marks WHERE run_id = ?',
  eraseRun: 'DELETE FROM runs WHERE run = ?',
  endLease: 'UPDATE leases SET epoch = epoch + 1, owner = NULL, since = NULL, birth = NULL WHERE run_id = ?',
  noteNumber: `INSERT INTO meta (key, value) VALUES ('last_run', ?1) ON CONFLICT (key) DO UPDATE SET value = max(value, ?1)`,
  foreign: 'PRAGMA data_version',
  own: 'SELECT total_changes() AS changes',
} as const;

/** Returns the status of a run; an imported run is over, whatever its events say. */
function statusOf(row: Row): string {
  const status = String(row['status']);
  return status.startsWith(importedMark) ? 'imported' : status;
}

function toText(row: Row | undefined): FoundText | undefined {
  if (row === undefined) return undefined;
  const { hash, text } = row;
  return { hash: String(hash), text: text instanceof Uint8Array ? Buffer.from(text).toString('utf16le') : String(text) };
}
