import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Texts a row is found by, already prepared with `toIndexText`. */
export interface IndexTexts {
  readonly title: string;
  readonly heading: string;
  readonly prose: string;
  readonly code: string;
}

/** A matching row and its score: bm25 turned positive, larger is better. */
export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

// Weight of a word in each column. Headings name the topic of a section; code repeats names a lot.
const columnWeights = 'bm25(3.0, 4.0, 1.0, 0.5)';

/** Creates the empty table of a full-text index. */
export const fullTextSchema = `
  CREATE VIRTUAL TABLE chunk USING fts5(title, heading, prose, code,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
  INSERT INTO chunk(chunk, rank) VALUES ('rank', '${columnWeights}');
`;

/** An FTS5 index over numbered rows; stores only the positions of words, no text. */
export class FullTextIndex {
  readonly #database: DatabaseSync;
  readonly #totals: IndexTotals;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #count: StatementSync;
  readonly #rank: StatementSync;
  readonly #rankAmong: StatementSync;
  readonly #matchAmong: StatementSync;

  /** Uses a database that has the tables of `fullTextSchema`, and closes it. */
  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#totals = new IndexTotals(database);
    // The signs keep FTS5 from seeing the condition and the order: it looks up each row by itself for the one, and queries twice for the other.
    const among = '+rowid IN (SELECT value FROM json_each(?))';
    const best = 'ORDER BY +rank, rowid LIMIT ?';
    this.#insert = database.prepare('INSERT INTO chunk(rowid, title, heading, prose, code) VALUES (?, ?, ?, ?, ?)');
    this.#delete = database.prepare('DELETE FROM chunk WHERE rowid = ?');
    this.#count = database.prepare('SELECT count(*) AS found FROM chunk WHERE chunk MATCH ?');
    this.#rank = database.prepare(`SELECT rowid AS row, rank AS score FROM chunk WHERE chunk MATCH ? ${best}`);
    this.#rankAmong = database.prepare(`SELECT rowid AS row, rank AS score FROM chunk WHERE chunk MATCH ? AND ${among} ${best}`);
    this.#matchAmong = database.prepare(`SELECT rowid AS row FROM chunk WHERE chunk MATCH ? AND ${among}`);
  }

  /** Opens an empty index in memory; loads `node:sqlite` on first use, so that importing the toolset stays cheap. */
  static async open(): Promise<FullTextIndex> {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(':memory:');
    database.exec(fullTextSchema);
    return new FullTextIndex(database);
  }

  /** Runs a batch of changes in one transaction. */
  batch(change: () => void): void {
    this.begin();
    try {
      change();
      this.commit();
    } catch (error) {
      this.#database.exec('ROLLBACK');
      this.#totals.forget();
      throw error;
    }
  }

  /** Begins a transaction; everything up to `commit` is one. */
  begin(): void {
    this.#database.exec('BEGIN');
  }

  commit(): void {
    this.#database.exec('COMMIT');
    this.#totals.afterCommit();
  }

  add(row: number, texts: IndexTexts): void {
    this.#insert.run(row, texts.title, texts.heading, texts.prose, texts.code);
  }

  remove(row: number): void {
    this.#totals.beforeDelete(row);
    this.#delete.run(row);
  }

  /** Returns the number of rows that match an expression. */
  count(match: string): number {
    return Number(this.#count.get(match)?.['found'] ?? 0);
  }

  /** Returns the best rows for an expression, best first, out of all rows or the given ones. */
  rank(match: string, limit: number, among?: readonly number[]): readonly ScoredRow[] {
    const rows = among === undefined ? this.#rank.all(match, limit) : this.#rankAmong.all(match, JSON.stringify(among), limit);
    return rows.map(({ row, score }) => ({ row: Number(row), score: -Number(score) }));
  }

  /** Returns the given rows that match an expression. */
  matching(match: string, among: readonly number[]): ReadonlySet<number> {
    return new Set(this.#matchAmong.all(match, JSON.stringify(among)).map(({ row }) => Number(row)));
  }

  close(): void {
    this.#database.close();
  }
}

/** Joins FTS5 expressions into one. */
export function joinMatches(terms: readonly { readonly match: string }[], operator: 'AND' | 'OR'): string {
  return terms.map(({ match }) => `(${match})`).join(` ${operator} `);
}

/**
 * Corrects the totals by which FTS5 weighs words: the number of rows, and the number of words of each column. A table with
 * `contentless_delete` goes on counting deleted rows there, so that scores would depend on what was once in the index.
 *
 * Lists of numbers are stored as SQLite's variable-length integers: totals in row 1 of `chunk_data`, sizes of a row in `chunk_docsize`
 * (ext/fts5/fts5_storage.c of SQLite).
 */
class IndexTotals {
  readonly #database: DatabaseSync;
  /** Rows that were deleted in this transaction, and their words by column. */
  #deleted: number[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Notes a row that is about to be deleted. */
  beforeDelete(row: number): void {
    const sizes = this.#database.prepare('SELECT sz FROM chunk_docsize WHERE id = ?').get(row)?.['sz'];
    if (!(sizes instanceof Uint8Array)) return;
    for (const [index, number] of [1, ...readNumbers(sizes)].entries()) {
      this.#deleted[index] = (this.#deleted[index] ?? 0) + number;
    }
  }

  /** Takes the deleted rows off, after their transaction: FTS5 writes its totals at the end of it. */
  afterCommit(): void {
    if (this.#deleted.length === 0) return;
    const totals = this.#database.prepare('SELECT block FROM chunk_data WHERE id = 1').get()?.['block'];
    if (!(totals instanceof Uint8Array)) return;
    const left = readNumbers(totals).map((total, index) => Math.max(0, total - (this.#deleted[index] ?? 0)));
    this.forget();
    // The tables of FTS5 are read-only otherwise.
    this.#database.enableDefensive(false);
    this.#database.prepare('UPDATE chunk_data SET block = ? WHERE id = 1').run(Uint8Array.from(left.flatMap(toBytes)));
    this.#database.enableDefensive(true);
  }

  /** Forgets what was deleted, after a rollback. */
  forget(): void {
    this.#deleted = [];
  }
}

/** Reads big-endian integers of seven bits per byte; all but the last byte of one have the highest bit. */
function readNumbers(bytes: Uint8Array): readonly number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 127);
    if (byte >= 128) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}

function toBytes(number: number): readonly number[] {
  const bytes = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) + 128);
  return bytes;
}
