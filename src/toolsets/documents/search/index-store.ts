import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { maxTotalBytes } from '../document-limits.ts';
import type { ReadDocument } from '../parse/document-text.ts';
import type { Steps } from '../parse/steps.ts';
import { chunkDocument, type DocumentChunk } from './document-chunks.ts';
import { FullTextIndex, fullTextSchema } from './full-text-index.ts';
import type { Pace } from './pace.ts';
import { toIndexText } from './search-terms.ts';

/** Index entry of a document. */
export interface IndexedDocument {
  readonly file: string;
  readonly title: string;
  readonly lineCount: number;
  readonly bytes: number;
  /** Version of the file it was read from: inode, size and modification time. */
  readonly version: string;
  /** Its rows are `firstRow` and those after it. */
  readonly firstRow: number;
  readonly rowCount: number;
}

/** Position of an index row in its document. */
export interface ChunkPlace extends Pick<DocumentChunk, 'line' | 'endLine' | 'heading'> {
  readonly file: string;
  /** True for the first chunk of its document. */
  readonly opens: boolean;
}

/** A document to index, and the file it was read from. */
export interface NewDocument {
  readonly document: ReadDocument;
  readonly bytes: number;
  readonly version: string;
  /** State of the file for a later process; empty when it has to be read again. */
  readonly stamp: string;
}

/** An entry of an earlier process: its stamp, and the document or the reason why there is none. */
export type KnownFile =
  | { readonly stamp: string; readonly document: Omit<IndexedDocument, 'version'> }
  | { readonly stamp: string; readonly reason: string };

const schema = `${fullTextSchema}
  CREATE TABLE document(id INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, title TEXT NOT NULL,
    lines INTEGER NOT NULL, bytes INTEGER NOT NULL, first_row INTEGER NOT NULL, row_count INTEGER NOT NULL) STRICT;
  CREATE TABLE place(row INTEGER PRIMARY KEY, document INTEGER NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    heading TEXT NOT NULL) STRICT;
  CREATE TABLE unread(file TEXT PRIMARY KEY, stamp TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
`;
const schemaQuery = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';

/**
 * The tables of an index: the full text, the documents, the place of each row, and files that hold no text.
 *
 * Owns: the schema, the numbers of rows. Does not own: what is read, the file of the database. Holds no text of documents but titles and
 * headings.
 */
export class IndexStore {
  readonly text: FullTextIndex;
  readonly #database: DatabaseSync;
  readonly #addDocument: StatementSync;
  readonly #addPlace: StatementSync;
  readonly #addUnread: StatementSync;
  readonly #place: StatementSync;
  #nextRow: number;
  #nextId: number;
  #changes = 0;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.text = new FullTextIndex(database);
    this.#addDocument = database.prepare(
      'INSERT INTO document(id, file, stamp, title, lines, bytes, first_row, row_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#addPlace = database.prepare('INSERT INTO place(row, document, line, end_line, heading) VALUES (?, ?, ?, ?, ?)');
    this.#addUnread = database.prepare('INSERT OR REPLACE INTO unread(file, stamp, reason) VALUES (?, ?, ?)');
    this.#place = database.prepare(
      `SELECT document.file, place.line, place.end_line, place.heading, place.row = document.first_row AS opens
       FROM place JOIN document ON document.id = place.document WHERE place.row = ?`,
    );
    this.#nextRow = 1 + this.#number('SELECT max(row) AS number FROM place');
    this.#nextId = 1 + this.#number('SELECT max(id) AS number FROM document');
  }

  /** Creates the tables in an empty database. */
  static create(database: DatabaseSync): IndexStore {
    database.exec(schema);
    return new IndexStore(database);
  }

  /** Uses the tables of an earlier process; undefined when they are not exactly those of `create`. */
  static async over(database: DatabaseSync): Promise<IndexStore | undefined> {
    const { DatabaseSync } = await import('node:sqlite');
    const expected = new DatabaseSync(':memory:');
    expected.exec(schema);
    const [ours, theirs] = [expected, database].map((each) => JSON.stringify(each.prepare(schemaQuery).all()));
    expected.close();
    return ours === theirs ? new IndexStore(database) : undefined;
  }

  /** Grows with each change, so that a copy of the database can be told to be of one state. */
  get changes(): number {
    return this.#changes;
  }

  /** Returns the entries of an earlier process by file; undefined when one of them cannot be ours. */
  async known(pace: Pace): Promise<Map<string, KnownFile> | undefined> {
    const known = new Map<string, KnownFile>();
    const documents = this.#database
      .prepare('SELECT file, stamp, title, lines, bytes, first_row, row_count FROM document')
      .iterate();
    for (const { file, stamp, title, lines, bytes, first_row: firstRow, row_count: rowCount } of documents) {
      const numbers = { lineCount: Number(lines), bytes: Number(bytes), firstRow: Number(firstRow), rowCount: Number(rowCount) };
      if (!isPossible(numbers)) return undefined;
      known.set(String(file), { stamp: String(stamp), document: { file: String(file), title: String(title), ...numbers } });
      await pace.turn();
    }
    for (const { file, stamp, reason } of this.#database.prepare('SELECT file, stamp, reason FROM unread').iterate()) {
      known.set(String(file), { stamp: String(stamp), reason: String(reason) });
      await pace.turn();
    }
    return known;
  }

  place(row: number): ChunkPlace | undefined {
    const found = this.#place.get(row);
    if (found === undefined) return undefined;
    return {
      file: String(found['file']),
      line: Number(found['line']),
      endLine: Number(found['end_line']),
      heading: String(found['heading']),
      opens: Number(found['opens']) === 1,
    };
  }

  /** Adds a document in steps, one for each chunk, inside a transaction. */
  *add({ document, bytes, version, stamp }: NewDocument): Steps<IndexedDocument> {
    const { file, title, description, lines } = document;
    this.#changes += 1;
    const names = toIndexText(`${title} ${file}`);
    const [firstRow, id] = [this.#nextRow, this.#nextId];
    this.#nextId += 1;
    for (const { line, endLine, heading, prose, code } of chunkDocument(document, lines)) {
      const row = this.#nextRow;
      this.#nextRow += 1;
      // The description applies to the whole document; it is indexed where the document begins.
      const headings = toIndexText(row === firstRow ? `${heading} ${description}` : heading);
      this.text.add(row, { title: names, heading: headings, prose: toIndexText(prose), code: toIndexText(code) });
      this.#addPlace.run(row, id, line, endLine, heading);
      yield;
    }
    const rowCount = this.#nextRow - firstRow;
    this.#addDocument.run(id, file, stamp, title, lines.length, bytes, firstRow, rowCount);
    return { file, title, lineCount: lines.length, bytes, version, firstRow, rowCount };
  }

  /** Removes a document in steps, one for each row, inside a transaction. */
  *remove({ file, firstRow, rowCount }: Pick<IndexedDocument, 'file' | 'firstRow' | 'rowCount'>): Steps<void> {
    this.#changes += 1;
    this.#database.prepare('DELETE FROM document WHERE file = ?').run(file);
    this.#database.prepare('DELETE FROM place WHERE row >= ? AND row < ?').run(firstRow, firstRow + rowCount);
    for (let row = firstRow; row < firstRow + rowCount; row += 1) {
      this.text.remove(row);
      yield;
    }
  }

  /** Notes a file that holds no text to index. */
  addUnread(file: string, stamp: string, reason: string): void {
    this.#changes += 1;
    this.#addUnread.run(file, stamp, reason);
  }

  removeUnread(file: string): void {
    this.#changes += 1;
    this.#database.prepare('DELETE FROM unread WHERE file = ?').run(file);
  }

  close(): void {
    this.text.close();
  }

  #number(query: string): number {
    return Number(this.#database.prepare(query).get()?.['number'] ?? 0);
  }
}

/** True for numbers that a document can have; others would keep this process busy. */
function isPossible({ lineCount, bytes, firstRow, rowCount }: Omit<IndexedDocument, 'file' | 'title' | 'version'>): boolean {
  return firstRow > 0 && rowCount >= 0 && rowCount <= lineCount && lineCount <= bytes && bytes <= maxTotalBytes;
}
