import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { chunkDocument } from '../documents/search/document-chunks.ts';
import { parseDocument } from '../documents/parse/parse-document.ts';
import { parseSearchQuery, toIndexText } from '../documents/search/search-terms.ts';
import { joinLines, splitLines } from '../../files/text-lines.ts';
import { readJson } from '../../core/read-json.ts';

/** A document to be indexed. */
export interface IndexedText {
  /** Unique origin: a path in the workspace, or the token of a kept result. */
  readonly source: string;
  /** Version of the text; changes whenever the text does. */
  readonly version: string;
  readonly text: string;
  readonly tags: readonly string[];
}

/** A folder or file registered for indexing. */
export interface IndexRoot {
  readonly path: string;
  readonly glob: string;
  readonly tags: readonly string[];
}

/** A passage that matches a query. */
export interface KnowledgeHit {
  readonly source: string;
  readonly line: number;
  readonly endLine: number;
  readonly heading: string;
  readonly text: string;
}

/** A document as shown in a list. */
export interface ListedDocument {
  readonly source: string;
  readonly title: string;
  readonly passages: number;
  readonly tags: readonly string[];
}

/** Query, filters and limit of a search. */
export interface KnowledgeQuery {
  readonly query: string;
  readonly limit: number;
  /** Accepted tags, any of them; all documents when empty. */
  readonly tags: readonly string[];
  /** Sources, or folders of them; all when empty. */
  readonly sources: readonly string[];
  /** Run whose kept results are included, besides documents. */
  readonly results: string;
}

/** Prefix of the sources of kept results. */
export const resultPrefix = 'result:';

const schema = `
  CREATE TABLE IF NOT EXISTS document(id INTEGER PRIMARY KEY, source TEXT UNIQUE NOT NULL, version TEXT NOT NULL, title TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS tag(document INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(document, name)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS root(path TEXT NOT NULL, glob TEXT NOT NULL, tags TEXT NOT NULL, PRIMARY KEY(path, glob));
  CREATE TABLE IF NOT EXISTS passage(row INTEGER PRIMARY KEY, document INTEGER NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    heading TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS passage_of ON passage(document);
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, heading, prose, code,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
`;

/**
 * Documents and kept results in one full-text index on disk (A1.13): found by words, ranked by BM25. It may be deleted at any time: all
 * its content exists elsewhere.
 */
export class KnowledgeIndex {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 5000; ${schema}`);
  }

  static async open(path: string): Promise<KnowledgeIndex> {
    const { openDatabase } = await import('../../files/database-file.ts');
    return new KnowledgeIndex(openDatabase(path));
  }

  /** Returns the version of each indexed source with this prefix. */
  versions(prefix = ''): ReadonlyMap<string, string> {
    const rows = this.#database.prepare('SELECT source, version FROM document').all();
    return new Map(
      rows.map((row) => [String(row['source']), String(row['version'])] as const).filter(([source]) => source.startsWith(prefix)),
    );
  }

  roots(): readonly IndexRoot[] {
    return this.#database
      .prepare('SELECT path, glob, tags FROM root')
      .all()
      .map((row) => ({
        path: String(row['path']),
        glob: String(row['glob']),
        tags: readJson(String(row['tags'])) as string[],
      }));
  }

  addRoot({ path, glob, tags }: IndexRoot): void {
    this.#database.prepare('INSERT OR REPLACE INTO root VALUES (?, ?, ?)').run(path, glob, JSON.stringify(tags));
  }

  /** Adds texts, replacing those with the same source. */
  put(texts: readonly IndexedText[]): void {
    this.#batch(() => texts.forEach((text) => this.#put(text)));
  }

  remove(sources: readonly string[]): void {
    this.#batch(() => sources.forEach((source) => this.#remove(source)));
  }

  /** Adds tags to documents. */
  tag(sources: readonly string[], tags: readonly string[]): void {
    const insert = this.#database.prepare('INSERT OR IGNORE INTO tag SELECT id, ? FROM document WHERE source = ?');
    this.#batch(() => sources.forEach((source) => tags.forEach((name) => insert.run(name, source))));
  }

  /** Returns the best passages, best first; at most three per source. */
  search({ query, limit, tags, sources, results }: KnowledgeQuery): readonly KnowledgeHit[] {
    const { terms } = parseSearchQuery(query);
    if (terms.length === 0) return [];
    const match = terms.map(({ matches }) => `(${matches.join(' OR ')})`).join(' OR ');
    const found = this.#database
      .prepare(
        `SELECT d.source, p.line, p.end_line, p.heading, p.text FROM words w JOIN passage p ON p.row = w.rowid JOIN document d ON d.id = p.document
         WHERE words MATCH ? AND (?2 = '[]' OR EXISTS (SELECT 1 FROM tag t WHERE t.document = d.id AND t.name IN (SELECT value FROM json_each(?2))))
         ORDER BY bm25(words, 3.0, 4.0, 1.0, 0.5) LIMIT 500`,
      )
      .all(match, JSON.stringify(tags));
    const perSource = new Map<string, number>();
    return found
      .map((row) => ({
        source: String(row['source']),
        line: Number(row['line']),
        endLine: Number(row['end_line']),
        heading: String(row['heading']),
        text: String(row['text']),
      }))
      .filter(({ source }) => !source.startsWith(resultPrefix) || source.startsWith(results))
      .filter(({ source }) => sources.length === 0 || sources.some((wanted) => isBelow(shownSource(source), wanted)))
      .filter(({ source }) => {
        const count = (perSource.get(source) ?? 0) + 1;
        perSource.set(source, count);
        return count <= maxPerSource;
      })
      .slice(0, limit);
  }

  /** Returns indexed documents by source, without kept results; at most `limit`. */
  documents(limit: number): readonly ListedDocument[] {
    return this.#statement(
      `SELECT source, title, (SELECT count(*) FROM passage p WHERE p.document = d.id) AS passages,
         (SELECT json_group_array(name) FROM tag t WHERE t.document = d.id) AS tags
       FROM document d WHERE substr(source, 1, ?1) <> ?2 ORDER BY source LIMIT ?3`,
    )
      .all(resultPrefix.length, resultPrefix, limit)
      .map((row) => ({
        source: String(row['source']),
        title: String(row['title']),
        passages: Number(row['passages']),
        tags: readJson(String(row['tags'])) as string[],
      }));
  }

  stats(): { readonly documents: number; readonly passages: number } {
    const count = (table: string): number => Number(this.#database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'] ?? 0);
    return { documents: count('document'), passages: count('passage') };
  }

  close(): void {
    this.#database.close();
  }

  #put({ source, version, text, tags }: IndexedText): void {
    this.#remove(source);
    const name = shownSource(source);
    const lines = splitLines(text);
    const parsed = parseDocument(name, lines);
    const { lastInsertRowid: id } = this.#statement('INSERT INTO document(source, version, title) VALUES (?, ?, ?)').run(
      source,
      version,
      parsed.title,
    );
    const addTag = this.#statement('INSERT OR IGNORE INTO tag VALUES (?, ?)');
    for (const tag of tags) addTag.run(id, tag);
    const addPassage = this.#statement('INSERT INTO passage(document, line, end_line, heading, text) VALUES (?, ?, ?, ?, ?)');
    const addWords = this.#statement('INSERT INTO words(rowid, title, heading, prose, code) VALUES (?, ?, ?, ?, ?)');
    const title = toIndexText(`${parsed.title} ${name}`);
    for (const chunk of chunkDocument(parsed, lines)) {
      const shown = joinLines(lines, chunk.line, chunk.endLine).slice(0, maxPassageChars);
      const { lastInsertRowid: row } = addPassage.run(id, chunk.line, chunk.endLine, chunk.heading, shown);
      addWords.run(row, title, toIndexText(chunk.heading), toIndexText(chunk.prose), toIndexText(chunk.code));
    }
  }

  #remove(source: string): void {
    const id = this.#statement('SELECT id FROM document WHERE source = ?').get(source)?.['id'];
    if (id === undefined) return;
    this.#statement('DELETE FROM words WHERE rowid IN (SELECT row FROM passage WHERE document = ?)').run(id);
    for (const table of ['passage', 'tag']) this.#statement(`DELETE FROM ${table} WHERE document = ?`).run(id);
    this.#statement('DELETE FROM document WHERE id = ?').run(id);
  }

  /** Prepares each statement once. */
  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #batch(change: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      change();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

const maxPerSource = 3;
const maxPassageChars = 2_000;

/** Returns a source as people read it: a kept result by its token alone. */
export function shownSource(source: string): string {
  return source.startsWith(resultPrefix) ? source.slice(source.lastIndexOf('/') + 1) : source;
}

function isBelow(source: string, wanted: string): boolean {
  const folder = wanted.replace(/^\.\//, '').replace(/(?<!\/)\/+$/, '');
  return folder === '' || folder === '.' || source === folder || source.startsWith(`${folder}/`);
}
