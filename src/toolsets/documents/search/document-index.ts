import { CadreError } from '../../../core/error.ts';
import { noDocuments, resolveDocumentRoot } from '../check-document-root.ts';
import type { DocumentLimits } from '../document-limits.ts';
import type { DocumentStats } from '../document-stats.ts';
import type { LeftOutCount } from '../left-out.ts';
import { kindOfName } from '../parse/document-kinds.ts';
import { toDocument, type OpenDocument } from '../parse/document-text.ts';
import { SourceReader } from '../read-source.ts';
import { refusePath, toInsidePath } from '../../../files/inside-path.ts';
import { noSuchFile, type InsideText } from '../../../files/read-inside.ts';
import type { FullTextIndex } from './full-text-index.ts';
import { indexDocuments, type FolderContents, type ReadingProgress } from './index-documents.ts';
import type { ChunkPlace, IndexedDocument } from './index-store.ts';
import { nearNames } from './near-names.ts';
import { OpenedIndex } from './opened-index.ts';
import { runAtOnce } from '../parse/steps.ts';

const openDocumentsKept = 64;
const folderName = 'the documents folder';

/** Settings of `DocumentIndex.build`. */
export interface BuildOptions {
  /** Ends the build. */
  readonly signal?: AbortSignal;
  /** Private folder that holds the index between processes; without it, the index is in memory. */
  readonly cacheDir?: string | undefined;
  readonly onProgress?: (progress: ReadingProgress) => void;
  /** Wall time in milliseconds since 1970. */
  readonly now?: () => number;
}

interface IndexParts extends FolderContents {
  readonly root: string;
  readonly source: SourceReader;
  readonly opened: OpenedIndex;
}

/**
 * The documents of one folder, searchable.
 *
 * Owns: the documents that can be opened, confinement to the folder. Does not own: the tables of the index, ranking, tool results.
 *
 * 1. Line numbers match the file on disk: opening a document returns it as it is now, and a document that changed is indexed again
 *    first. Files created after the index was built are not in it.
 * 2. Only files found by the walk can be opened: no path from a caller reaches the disk unchecked.
 * 3. Texts come from the files, never from a kept index.
 */
export class DocumentIndex {
  readonly root: string;
  readonly #source: SourceReader;
  readonly #opened: OpenedIndex;
  readonly #documents: Map<string, IndexedDocument>;
  readonly #skipped: Map<string, string>;
  readonly #leftOut: LeftOutCount;
  /** Files that were read to build it; the others were known from a kept index. */
  readonly filesRead: number;
  readonly #lost = new Set<string>();
  readonly #open = new Map<string, OpenDocument & { readonly version: string }>();
  #closed = false;

  private constructor({ root, source, opened, documents, skipped, leftOut, filesRead }: IndexParts) {
    this.root = root;
    this.#source = source;
    this.#opened = opened;
    this.#documents = documents;
    this.#skipped = skipped;
    this.#leftOut = leftOut;
    this.filesRead = filesRead;
  }

  /**
   * Reads and indexes all documents below a folder, except those that are in a kept index and did not change. Keeps the new index in the
   * background.
   *
   * @throws CadreError `DOCS_UNREADABLE` when there is no such folder, or no document in it can be read
   */
  static async build(root: string, limits: DocumentLimits, options: BuildOptions = {}): Promise<DocumentIndex> {
    const realRoot = await resolveDocumentRoot(root);
    const { signal = new AbortController().signal, cacheDir, onProgress = () => undefined, now = Date.now } = options;
    return await OpenedIndex.use({ root: realRoot, limits, cacheDir, signal }, async (opened) => {
      const source = new SourceReader(realRoot.folder, limits, signal);
      const { store, known } = opened;
      const contents = await indexDocuments({ root: realRoot, limits, source, store, known, signal, onProgress, now });
      const index = new DocumentIndex({ root, source, opened, ...contents });
      if (index.#documents.size === 0) throw noDocuments(root, index.stats());
      return index;
    });
  }

  /** True when the tables are in a file, which may turn out to be damaged. */
  get isInFile(): boolean {
    return this.#opened.isInFile;
  }

  /** Resolves when the index is kept for the next process, or cannot be. */
  async whenKept(): Promise<void> {
    await this.#opened.whenKept();
  }

  get fullText(): FullTextIndex {
    if (this.#closed) throw disposedError();
    return this.#opened.store.text;
  }

  stats(): DocumentStats {
    const skipped = [...this.#skipped].map(([file, reason]) => ({ file, reason }));
    return { files: this.#documents.size, sections: this.#sections(), skipped, leftOut: this.#leftOut.kinds(skipped) };
  }

  /** Returns all documents, in the order of the walk. */
  documents(): readonly IndexedDocument[] {
    return [...this.#documents.values()];
  }

  has(file: string): boolean {
    return this.#documents.has(file);
  }

  place(row: number): ChunkPlace | undefined {
    if (this.#closed) throw disposedError();
    return this.#opened.store.place(row);
  }

  /** Returns the rows of the documents that `file` names: itself, or everything below it when it is a folder. */
  rowsOf(file: string): readonly number[] {
    const path = toInsidePath(file, folderName);
    const document = this.#documents.get(path);
    if (document !== undefined) return rowsIn(document);
    const below = this.documents().filter((candidate) => candidate.file.startsWith(`${path}/`));
    if (below.length === 0) throw this.#unknown(path);
    return below.flatMap(rowsIn);
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
    const read = await this.#source.read(file);
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

  /** Closes a damaged index, and removes the kept one it came from. */
  async discard(): Promise<void> {
    await this.close();
    await this.#opened.discard();
  }

  /** Closes the index for all callers; one that was used is kept first. */
  async close({ isUsed = false }: { readonly isUsed?: boolean } = {}): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#open.clear();
    await this.#opened.close(isUsed);
  }

  #reindex(file: string, read: InsideText): OpenDocument {
    const { store } = this.#opened;
    const document = toDocument(file, read.text);
    const bytes = Buffer.byteLength(read.text);
    this.#lost.delete(file);
    this.#skipped.delete(file);
    store.text.batch(() => {
      this.#removeRows(file);
      this.#documents.set(file, runAtOnce(store.add({ document, bytes, version: read.version, stamp: '' })));
    });
    return document;
  }

  /** Removes an unreadable document from the index; it returns when it can be opened again. */
  #drop(file: string, reason: string): void {
    this.#opened.store.text.batch(() => this.#removeRows(file));
    this.#documents.delete(file);
    this.#open.delete(file);
    this.#lost.add(file);
    this.#skipped.set(file, reason);
  }

  #removeRows(file: string): void {
    const document = this.#documents.get(file);
    if (document !== undefined) runAtOnce(this.#opened.store.remove(document));
  }

  #sections(): number {
    let sections = 0;
    for (const { rowCount } of this.#documents.values()) sections += rowCount;
    return sections;
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
    const read = await this.#source.read(file);
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

function rowsIn({ firstRow, rowCount }: IndexedDocument): readonly number[] {
  return Array.from({ length: rowCount }, (_, index) => firstRow + index);
}

/** Returns the error for using the tools after they were disposed. */
export function disposedError(): CadreError {
  return new CadreError('ENGINE_CLOSED', 'The document tools were disposed of. Create them again to search.');
}
