import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { versionOf } from '../../../files/open-file.ts';
import type { InsideText, NotRead } from '../../../files/read-inside.ts';
import { maxTotalBytes, type DocumentLimits } from '../document-limits.ts';
import { isLasting, isNoText, LeftOutCount } from '../left-out.ts';
import { binaryKind } from '../parse/document-kinds.ts';
import { toDocumentInSteps } from '../parse/document-text.ts';
import type { SourceReader } from '../read-source.ts';
import { walkDocuments, type DocumentRoot, type WalkStep } from '../walk-documents.ts';
import type { IndexedDocument, IndexStore, KnownFile } from './index-store.ts';
import { Pace } from './pace.ts';
import { readAhead } from './read-ahead.ts';

/** Number of files that have been read, of all that the walk found. */
export interface ReadingProgress {
  readonly done: number;
  readonly total: number;
}

/** What a folder holds: the documents, in the order of the walk, and what is left out. */
export interface FolderContents {
  readonly documents: Map<string, IndexedDocument>;
  readonly skipped: Map<string, string>;
  readonly leftOut: LeftOutCount;
  /** Files that were read; the others are known from an earlier process. */
  readonly filesRead: number;
}

/** Parts of `indexDocuments`. */
export interface IndexingParts {
  readonly root: DocumentRoot;
  readonly limits: DocumentLimits;
  readonly source: SourceReader;
  readonly store: IndexStore;
  /** What an earlier process has read; files that did not change since are not read again. */
  readonly known: Map<string, KnownFile>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
  readonly now: () => number;
}

/** A file that the walk found, which may be a document. */
type FoundFile = Extract<WalkStep, { readonly file: string; readonly plain?: true }>;

/** A file as it is now: as an earlier process has read it, or as this one did. */
type Look = { readonly state: FileState | undefined } & ({ readonly isKnown: true } | { readonly read: InsideText | NotRead });

interface FileState {
  readonly version: string;
  readonly stamp: string;
  readonly isRacy: boolean;
}

/** Files that are read ahead of the one that is indexed. */
const readAheadFiles = 8;
/** Text after which a transaction ends: longer ones take longer to write. */
const transactionBytes = 200_000;
/** A file that changed so shortly before it was read may change once more without looking different. */
const racyMs = 2_000;

/** Reads and indexes the documents of a folder that changed, and removes those that are gone; the event loop turns meanwhile. */
export async function indexDocuments(parts: IndexingParts): Promise<FolderContents> {
  return await new FolderIndexing(parts).run();
}

class FolderIndexing {
  readonly #parts: IndexingParts;
  readonly #pace: Pace;
  readonly #documents = new Map<string, IndexedDocument>();
  readonly #skipped = new Map<string, string>();
  readonly #leftOut = new LeftOutCount();
  #totalBytes = 0;
  #filesRead = 0;
  #unwrittenBytes = 0;

  constructor(parts: IndexingParts) {
    this.#parts = parts;
    this.#pace = new Pace(parts.signal);
  }

  async run(): Promise<FolderContents> {
    const { store, known, onProgress } = this.#parts;
    const found = await this.#walk();
    store.text.begin();
    const gone = new Map(known);
    let done = 0;
    onProgress({ done, total: found.length });
    for await (const [file, look] of readAhead(found, readAheadFiles, (each) => this.#look(each))) {
      if (await this.#take(file, look)) gone.delete(file.file);
      done += 1;
      onProgress({ done, total: found.length });
      await this.#pace.turn();
    }
    for (const [file, entry] of gone) await this.#forget(file, entry);
    store.text.commit();
    return { documents: this.#documents, skipped: this.#skipped, leftOut: this.#leftOut, filesRead: this.#filesRead };
  }

  async #walk(): Promise<readonly FoundFile[]> {
    const found: FoundFile[] = [];
    for await (const step of walkDocuments(this.#parts.root)) {
      if ('kind' in step) this.#leftOut.add(step);
      else if ('reason' in step) this.#skipped.set(step.file, step.reason);
      else found.push(step);
      await this.#pace.turn();
    }
    return found;
  }

  async #look({ file }: FoundFile): Promise<Look> {
    const { root, known, source, signal, now } = this.#parts;
    signal.throwIfAborted();
    const state = await stateOf(join(root.folder, file), now());
    // Beyond a limit, nothing is read.
    if (this.#limitReached() !== undefined) return { state, isKnown: true };
    if (state !== undefined && known.get(file)?.stamp === state.stamp) return { state, isKnown: true };
    return { state, read: await source.read(file) };
  }

  /** Takes a file into the index, or notes why not; true when the entry of an earlier process holds. */
  async #take(found: FoundFile, look: Look): Promise<boolean> {
    const { file } = found;
    const entry = this.#parts.known.get(file);
    const limit = this.#limitReached();
    if (limit !== undefined) {
      this.#skipped.set(file, limit);
      return false;
    }
    if ('read' in look) {
      this.#filesRead += 1;
      if (entry !== undefined) await this.#forget(file, entry);
      if ('reason' in look.read) this.#leaveOut(found, look.read.reason, look.state);
      else await this.#index(file, look.read, look.state);
    } else if (entry !== undefined && 'document' in entry) {
      this.#add({ ...entry.document, version: look.state?.version ?? '' });
    } else if (entry !== undefined) this.#countOut(found, entry.reason);
    return true;
  }

  async #index(file: string, read: InsideText, state: FileState | undefined): Promise<void> {
    const { store } = this.#parts;
    const document = await this.#pace.run(toDocumentInSteps(file, read.text));
    const bytes = Buffer.byteLength(read.text);
    const stamp = state === undefined || state.isRacy ? '' : state.stamp;
    this.#add(await this.#pace.run(store.add({ document, bytes, version: read.version, stamp })));
    await this.#written(bytes);
  }

  #add(document: IndexedDocument): void {
    this.#documents.set(document.file, document);
    this.#totalBytes += document.bytes;
  }

  #leaveOut(found: FoundFile, reason: string, state: FileState | undefined): void {
    if (state !== undefined && !state.isRacy && isLasting(reason)) this.#parts.store.addUnread(found.file, state.stamp, reason);
    this.#countOut(found, reason);
  }

  #countOut(found: FoundFile, reason: string): void {
    if ('plain' in found && isNoText(reason)) this.#leftOut.add({ kind: binaryKind });
    else this.#skipped.set(found.file, reason);
  }

  async #forget(file: string, entry: KnownFile): Promise<void> {
    if ('reason' in entry) this.#parts.store.removeUnread(file);
    else {
      await this.#pace.run(this.#parts.store.remove(entry.document));
      await this.#written(entry.document.bytes);
    }
  }

  async #written(bytes: number): Promise<void> {
    this.#unwrittenBytes += bytes;
    if (this.#unwrittenBytes < transactionBytes) return;
    this.#unwrittenBytes = 0;
    const { text } = this.#parts.store;
    text.commit();
    await this.#pace.turn();
    text.begin();
  }

  #limitReached(): string | undefined {
    const { maxFiles } = this.#parts.limits;
    if (this.#documents.size >= maxFiles) return `more than ${maxFiles} documents`;
    if (this.#totalBytes >= maxTotalBytes) return `more than ${maxTotalBytes} bytes of text in all`;
    return undefined;
  }
}

/** Returns the state of a file before it is read; undefined when that cannot be said. */
async function stateOf(path: string, now: number): Promise<FileState | undefined> {
  try {
    const stats = await lstat(path, { bigint: true });
    if (!stats.isFile()) return undefined;
    const version = versionOf(stats);
    return {
      version,
      stamp: `${version}:${stats.ctimeNs}`,
      isRacy: Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs)) > now - racyMs,
    };
  } catch {
    // Reading it tells why.
    return undefined;
  }
}
