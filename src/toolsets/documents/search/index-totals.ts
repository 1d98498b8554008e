import type { DatabaseSync } from 'node:sqlite';

/**
 * Corrects the totals by which FTS5 weighs words: the number of rows, and the number of words of each column. A table with
 * `contentless_delete` goes on counting deleted rows there, so that scores would depend on what was once in the index.
 *
 * Lists of numbers are stored as SQLite's variable-length integers: totals in row 1 of `chunk_data`, sizes of a row in `chunk_docsize`
 * (ext/fts5/fts5_storage.c of SQLite).
 */
export class IndexTotals {
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
