import { CadreError } from '../../../core/error.ts';
import { noDocuments, resolveDocumentRoot } from '../check-document-root.ts';
import { chunkDocument, type DocumentChunk } from './document-chunks.ts';
import { toDocument, type OpenDocument } from '../parse/document-text.ts';
import { binaryKind, kindOfName } from '../parse/document-kinds.ts';
import { maxTotalBytes, type DocumentLimits } from '../document-limits.ts';
import { FullTextIndex } from './full-text-index.ts';
import { refusePath, toInsidePath } from '../../files/inside-path.ts';
import { isNoText, LeftOutCount } from '../left-out.ts';
import { nearNames } from './near-names.ts';
import { noSuchFile, type InsideText } from '../../files/read-inside.ts';
import { SourceReader } from '../read-source.ts';
import { toIndexText } from './search-terms.ts';
import { walkDocuments, type DocumentRoot } from '../walk-documents.ts';
import type { DocumentStats } from '../document-stats.ts';

/** Index entry of a document. */
export interface IndexedDocument {
  readonly file: string;
  readonly title: string;
  readonly lineCount: number;
  readonly bytes: number;
  readonly version: string;
  readonly rows: readonly number[];
}

/** Position of an index row in its document. */
export interface ChunkPlace extends Pick<DocumentChunk, 'line' | 'endLine' | 'heading'> {
  readonly file: string;
  /** True for the first chunk of its document. */
  readonly opens: boolean;
}

const openDocumentsKept = 64;
const folderName = 'the documents folder';

interface IndexParts {
  readonly root: string;
  readonly realRoot: DocumentRoot;
  readonly limits: DocumentLimits;
  readonly source: SourceReader;
  readonly text: FullTextIndex;
}

/**
 * The documents of one folder, searchable.
 *
 * Owns: the full-text index, the place of each chunk, confinement to the folder. Does not own: ranking, tool results.
 *
 * 1. Line numbers match the file on disk: opening a document returns it as it is now, and a document that changed is indexed again
 *    first. Files created after the index was built are not in it.
 * 2. Only files found by the walk can be opened: no path from a caller reaches the disk unchecked.
 */
export class DocumentIndex {
  readonly root: string;
  readonly #realRoot: DocumentRoot;
  readonly #limits: DocumentLimits;
  readonly #source: SourceReader;
  readonly #text: FullTextIndex;
  readonly #documents = new Map<string, IndexedDocument>();
  readonly #places = new Map<number, ChunkPlace>();
  readonly #skipped = new Map<string, string>();
  readonly #leftOut = new LeftOutCount();
  readonly #lost = new Set<string>();
  readonly #open = new Map<string, OpenDocument & { readonly version: string }>();
  #nextRow = 1;
  #totalBytes = 0;
  #closed = false;

  private constructor({ root, realRoot, limits, source, text }: IndexParts) {
    this.root = root;
    this.#realRoot = realRoot;
    this.#limits = limits;
    this.#source = source;
    this.#text = text;
  }

  /**
   * Reads and indexes all documents below a folder; stops when `signal` aborts.
   *
   * @throws CadreError `DOCS_UNREADABLE` when there is no such folder, or no document in it can be read
   */
  static async build(root: string, limits: DocumentLimits, signal?: AbortSignal): Promise<DocumentIndex> {
    const realRoot = await resolveDocumentRoot(root);
    const index = new DocumentIndex({
      root,
      realRoot,
      limits,
      source: new SourceReader(realRoot.folder, limits, signal),
      text: await FullTextIndex.open(),
    });
    try {
      await index.#readAll(signal);
      if (index.#documents.size === 0) throw noDocuments(root, index.stats());
      return index;
    } catch (error) {
      index.close();
      throw error;
    }
  }

  get fullText(): FullTextIndex {
    if (this.#closed) throw disposedError();
    return this.#text;
  }

  stats(): DocumentStats {
    const skipped = [...this.#skipped].map(([file, reason]) => ({ file, reason }));
    return { files: this.#documents.size, sections: this.#places.size, skipped, leftOut: this.#leftOut.kinds(skipped) };
  }

  /** Returns all documents, in the order of the walk. */
  documents(): readonly IndexedDocument[] {
    return [...this.#documents.values()];
  }

  has(file: string): boolean {
    return this.#documents.has(file);
  }

  place(row: number): ChunkPlace | undefined {
    return this.#places.get(row);
  }

  /** Returns the rows of the documents that `file` names: itself, or everything below it when it is a folder. */
  rowsOf(file: string): readonly number[] {
    const path = toInsidePath(file, folderName);
    const document = this.#documents.get(path);
    if (document !== undefined) return document.rows;
    const below = this.documents().filter((candidate) => candidate.file.startsWith(`${path}/`));
    if (below.length === 0) throw this.#unknown(path);
    return below.flatMap(({ rows }) => rows);
  }

  /**
   * Opens a document as it is on disk now. A changed document is indexed again first, which removes its old rows.
   *
   * @throws CadreError `PATH_REFUSED` for a path outside the folder or through a link; `TOOL_FAILED` when there is no such document,
   * naming similar ones
   */
  async open(requested: string): Promise<OpenDocument> {
    const file = toInsidePath(requested, folderName);
    if (!this.has(file) && !this.#lost.has(file)) throw await this.#refusalOf(requested, file);
    const read = await this.#read(file);
    if (this.#closed) throw disposedError();
    if ('reason' in read) {
      this.#drop(file, read.reason);
      if (read.refused) throw refusePath(requested, read.reason, folderName);
      throw new CadreError('TOOL_FAILED', `The document "${file}" cannot be read any more: ${read.reason}.`);
    }
    const kept = this.#open.get(file);
    if (kept !== undefined && kept.version === read.version) return kept;
    const unchanged = this.#documents.get(file)?.version === read.version;
    const document = unchanged ? toDocument(file, read.text) : this.#reindex(file, read);
    this.#keepOpen(file, { ...document, version: read.version });
    return document;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#open.clear();
    this.#text.close();
  }

  async #readAll(signal: AbortSignal | undefined): Promise<void> {
    let batch: { readonly file: string; readonly read: InsideText }[] = [];
    const write = (): void => {
      this.#text.batch(() => batch.forEach(({ file, read }) => this.#index(file, read)));
      batch = [];
    };
    for await (const step of walkDocuments(this.#realRoot)) {
      signal?.throwIfAborted();
      if ('kind' in step) {
        this.#leftOut.add(step);
        continue;
      }
      const reason = 'reason' in step ? step.reason : this.#limitReached(batch.length);
      if (reason !== undefined) {
        this.#skipped.set(step.file, reason);
        continue;
      }
      const read = await this.#read(step.file);
      if ('reason' in read) {
        if ('plain' in step && isNoText(read.reason)) this.#leftOut.add({ kind: binaryKind });
        else this.#skipped.set(step.file, read.reason);
      } else batch.push({ file: step.file, read });
      if (batch.length === 50) write();
    }
    write();
  }

  async #read(file: string): ReturnType<SourceReader['read']> {
    return await this.#source.read(file);
  }

  #limitReached(waiting: number): string | undefined {
    if (this.#documents.size + waiting >= this.#limits.maxFiles) return `more than ${this.#limits.maxFiles} documents`;
    if (this.#totalBytes >= maxTotalBytes) return `more than ${maxTotalBytes} bytes of text in all`;
    return undefined;
  }

  #index(file: string, read: InsideText): OpenDocument {
    const document = toDocument(file, read.text);
    const { title, description, lines } = document;
    const rows: number[] = [];
    const names = toIndexText(`${title} ${file}`);
    chunkDocument(document, lines).forEach((chunk, index) => {
      const row = this.#nextRow;
      this.#nextRow += 1;
      // The description applies to the whole document; it is indexed where the document begins.
      const heading = toIndexText(index === 0 ? `${chunk.heading} ${description}` : chunk.heading);
      this.#text.add(row, { title: names, heading, prose: toIndexText(chunk.prose), code: toIndexText(chunk.code) });
      this.#places.set(row, { file, line: chunk.line, endLine: chunk.endLine, heading: chunk.heading, opens: index === 0 });
      rows.push(row);
    });
    const bytes = Buffer.byteLength(read.text);
    this.#totalBytes += bytes;
    this.#documents.set(file, { file, title, lineCount: lines.length, bytes, version: read.version, rows });
    return document;
  }

  #reindex(file: string, read: InsideText): OpenDocument {
    let document: OpenDocument = toDocument(file, '');
    this.#lost.delete(file);
    this.#skipped.delete(file);
    this.#text.batch(() => {
      this.#removeRows(file);
      document = this.#index(file, read);
    });
    return document;
  }

  /** Removes an unreadable document from the index; it returns when it can be opened again. */
  #drop(file: string, reason: string): void {
    this.#text.batch(() => this.#removeRows(file));
    this.#documents.delete(file);
    this.#open.delete(file);
    this.#lost.add(file);
    this.#skipped.set(file, reason);
  }

  #removeRows(file: string): void {
    const document = this.#documents.get(file);
    if (document === undefined) return;
    this.#totalBytes -= document.bytes;
    for (const row of document.rows) {
      this.#text.remove(row);
      this.#places.delete(row);
    }
  }

  #keepOpen(file: string, document: OpenDocument & { readonly version: string }): void {
    this.#open.delete(file);
    this.#open.set(file, document);
    const oldest = this.#open.keys().next();
    if (this.#open.size > openDocumentsKept && !oldest.done) this.#open.delete(oldest.value);
  }

  /** Returns the error for a path that is not in the index: a link, a skipped file, or a missing one. */
  async #refusalOf(requested: string, file: string): Promise<CadreError> {
    const parts = file.split('/');
    const link = parts
      .map((_, index) => parts.slice(0, index + 1).join('/'))
      .find((path) => this.#skipped.get(path)?.includes('symbolic link'));
    if (link !== undefined) return refusePath(requested, `"${link}" is a symbolic link`, folderName);
    const reason = this.#skipped.get(file);
    if (reason !== undefined) {
      return new CadreError('TOOL_FAILED', `The document "${file}" was left out: ${reason}. Choose another document.`);
    }
    const read = await this.#read(file);
    if ('reason' in read && read.refused) return refusePath(requested, read.reason, folderName);
    const kind = kindOfName(parts.at(-1) ?? '');
    if (typeof kind === 'object' && !('reason' in read && read.reason === noSuchFile)) {
      return new CadreError(
        'TOOL_FAILED',
        `The file "${file}" was left out: files of its kind (${kind.leftOut}) are not read. list_documents shows what there is.`,
      );
    }
    return this.#unknown(file);
  }

  #unknown(file: string): CadreError {
    const near = nearNames(
      file,
      this.documents().map((document) => document.file),
    );
    const advice =
      near.length > 0 ? `Close to it: ${near.map((name) => `"${name}"`).join(', ')}.` : 'list_documents shows what there is.';
    return new CadreError('TOOL_FAILED', `There is no document "${file}" among the ${this.#documents.size} documents. ${advice}`, {
      details: { file, near },
    });
  }
}

/** Returns the error for using the tools after they were disposed. */
export function disposedError(): CadreError {
  return new CadreError('ENGINE_CLOSED', 'The document tools were disposed of. Create them again to search.');
}
