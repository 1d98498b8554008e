import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CadreError } from '../core/error.ts';
import type { RunId } from '../core/ids.ts';
import { keySpan } from './sqlite/sqlite-schema.ts';

/** Settings of the seals that detect commits written without the key. */
export interface IntegrityOptions {
  /** At least 16 bytes; text is encoded as UTF-8. */
  readonly key: string | Uint8Array;
}

/** The part of a `commits` row that its seal covers. */
export interface SealedRow {
  readonly runId: RunId;
  readonly key: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly body: string;
}

/** A row as its seal covers it, whatever the store numbers its rows by. */
export interface SealedCommit {
  readonly runId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly body: string;
}

const fewestBytes = 16;

/** Returns the bytes of a key. Throws OPTION_INVALID when it is too short. */
export function integrityKey({ key }: IntegrityOptions): Uint8Array {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  if (bytes instanceof Uint8Array && bytes.length >= fewestBytes) return bytes;
  throw new CadreError(
    'OPTION_INVALID',
    `integrity: key must have at least ${fewestBytes} bytes; make one with: openssl rand -base64 32`,
  );
}

/** Computes the seal of a row from the one before it: HMAC-SHA256 over that seal, the run's id, the position, the time and the events. */
export function sealCommit(
  key: Uint8Array,
  before: Uint8Array | undefined,
  { runId, firstSeq, lastSeq, at, body }: SealedCommit,
): Uint8Array {
  return createHmac('sha256', key)
    .update(JSON.stringify(['cadre commit 1', runId, firstSeq, lastSeq, at]))
    .update(before ?? new Uint8Array(32))
    .update(body)
    .digest();
}

/**
 * Chain of seals over the commits of each run: HMAC-SHA256 over the previous seal, the run's id, the commit's position, its time
 * and its events.
 *
 * Owns: the table `seals`. Does not own: when rows are read and written (`SqliteReader`, `SqliteAppender`).
 * 1. Detects a row that was changed, added, moved, or removed from the middle, with the first sequence number of its commit.
 * 2. Does not detect commits cut off at the end together with their seals, a whole file restored from an earlier copy, or changes
 *    outside `commits` (titles, projects, sums for lists). Texts are checked by their hash, which a commit holds.
 * 3. With a key, a run without seals is refused; without a key, nothing is appended to a run with seals.
 */
export class CommitChain {
  readonly #file: string;
  readonly #key: Uint8Array | undefined;
  readonly #last: StatementSync | undefined;
  readonly #lastKey: StatementSync | undefined;
  readonly #find: StatementSync | undefined;
  #insert: StatementSync | undefined;
  readonly #database: DatabaseSync;
  /** Runs known to have no seals, by the key before their first row (`beginOf`). */
  readonly #plain = new Set<number>();

  constructor(database: DatabaseSync, file: string, key: Uint8Array | undefined) {
    this.#database = database;
    this.#file = file;
    this.#key = key;
    // An older file opened read-only lacks the table.
    const has = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'seals'`).get() !== undefined;
    if (!has) return;
    this.#last = database.prepare('SELECT seal FROM seals WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1');
    this.#lastKey = database.prepare('SELECT max(key) AS key FROM seals WHERE key >= ? AND key < ?');
    this.#find = database.prepare('SELECT seal FROM seals WHERE key = ?');
  }

  /** True when rows are sealed, so that a commit takes more than one statement. */
  get isKeyed(): boolean {
    return this.#key !== undefined;
  }

  /** Throws when the journal has a key and the run has no seals, or the other way round. */
  assertMayAppend(runId: RunId, key: number): void {
    const begin = beginOf(key);
    if (this.#key === undefined) this.#assertPlain(runId, begin);
    else if (key > begin + 1 && this.#before(begin, key) === undefined)
      throw this.#fault({ runId, key }, 'has no seal before this commit: it was begun without the key');
  }

  /** Seals a row that was written in the same transaction. Does nothing without a key. */
  seal(row: SealedRow): void {
    if (this.#key === undefined) return;
    const before = this.#before(beginOf(row.key), row.key);
    this.#insert ??= this.#database.prepare('INSERT INTO seals (key, seal) VALUES (?, ?)');
    this.#insert.run(row.key, this.#sealOf(this.#key, before, row));
  }

  /** Returns the row key of a run's last sealed commit; undefined without an integrity key or without seals. */
  lastSealed(begin: number): number | undefined {
    if (this.#key === undefined) return undefined;
    const key = this.#lastKey?.get(begin, begin + keySpan)?.['key'];
    return typeof key === 'number' ? key : undefined;
  }

  /** Throws when a seal follows the last row: the commits it sealed were cut off. */
  assertWhole(runId: RunId, lastRow: number, lastSealed: number | undefined): void {
    if (lastSealed === undefined || lastSealed <= lastRow) return;
    throw this.#fault({ runId, key: lastSealed }, 'has a seal but no commit: the end of the run was cut off');
  }

  /** Returns a function that checks consecutive rows of a run and throws at the first that does not match its seal. */
  checker(): (row: SealedRow) => void {
    const key = this.#key;
    if (key === undefined) return () => undefined;
    let before: Uint8Array | undefined;
    let isFirst = true;
    return (row) => {
      if (isFirst) before = this.#before(beginOf(row.key), row.key);
      isFirst = false;
      const seal = this.#read(this.#find, row.key);
      if (seal === undefined) throw this.#fault(row, 'has no seal here: it was written without the key');
      const expected = this.#sealOf(key, before, row);
      if (seal.length !== expected.length || !timingSafeEqual(seal, expected))
        throw this.#fault(row, 'does not match its seal here: the journal was changed, or sealed with another key');
      before = seal;
    };
  }

  #sealOf(key: Uint8Array, before: Uint8Array | undefined, { runId, key: place, lastSeq, at, body }: SealedRow): Uint8Array {
    return sealCommit(key, before, { runId, firstSeq: place % keySpan, lastSeq, at, body });
  }

  #before(begin: number, key: number): Uint8Array | undefined {
    return this.#read(this.#last, begin, key);
  }

  #read(statement: StatementSync | undefined, ...keys: readonly number[]): Uint8Array | undefined {
    const seal = statement?.get(...keys)?.['seal'];
    return seal instanceof Uint8Array ? seal : undefined;
  }

  #assertPlain(runId: RunId, begin: number): void {
    if (this.#plain.has(begin)) return;
    if (this.#before(begin, begin + keySpan) !== undefined)
      throw new CadreError(
        'STORE_FAILED',
        `${this.#file}: run ${runId} is sealed with a key, so nothing was appended to it without the key; pass the key (integrity: { key }, CADRE_JOURNAL_KEY)`,
        { details: { file: this.#file, runId } },
      );
    this.#plain.add(begin);
  }

  #fault({ runId, key }: Pick<SealedRow, 'runId' | 'key'>, why: string): CadreError {
    const seq = key % keySpan;
    return new CadreError('STORE_CORRUPT', `${this.#file}: run ${runId}, from seq ${seq} on, ${why}. Nothing was changed in it`, {
      details: { file: this.#file, runId, seq },
    });
  }
}

/** Returns the key that precedes a run's first row. */
function beginOf(key: number): number {
  return Math.floor(key / keySpan) * keySpan;
}
