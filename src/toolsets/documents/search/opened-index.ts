import { type DocumentLimits, maxHitChars, maxTotalBytes, maxWalkDepth, maxWalkEntries } from '../document-limits.ts';
import type { DocumentRoot } from '../walk-documents.ts';
import { CacheFolder } from '../cache/cache-folder.ts';
import { isDatabaseError, type KeptPlace, WorkingFile } from '../cache/working-file.ts';
import { IndexStore, type KnownFile } from './index-store.ts';
import { Pace } from './pace.ts';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Place of an index. */
export interface IndexPlace {
  readonly root: DocumentRoot;
  readonly limits: DocumentLimits;
  readonly cacheDir: string | undefined;
  readonly signal: AbortSignal;
}

interface OpenedParts {
  readonly store: IndexStore;
  readonly known?: Map<string, KnownFile>;
  readonly working?: WorkingFile;
  readonly place?: KeptPlace;
}

/**
 * The tables of an index, open for one process: in memory, or in a private file beside the index that is kept.
 *
 * A kept index that is damaged, or not exactly ours, is removed; a folder that cannot be written, and a full disk, leave the index in
 * memory.
 */
export class OpenedIndex {
  readonly store: IndexStore;
  /** What an earlier process has read. */
  readonly known: Map<string, KnownFile>;
  readonly #working: WorkingFile | undefined;
  readonly #place: KeptPlace | undefined;
  readonly #closing = new AbortController();
  #kept: Promise<unknown> = Promise.resolve();

  private constructor({ store, known = new Map(), working, place }: OpenedParts) {
    this.store = store;
    this.known = known;
    this.#working = working;
    this.#place = place;
  }

  /** Opens the tables and fills them with `fill`; keeps them when that changed them. Closes them when `fill` fails. */
  static async use<Filled>(place: IndexPlace, fill: (opened: OpenedIndex) => Promise<Filled>): Promise<Filled> {
    const { root, limits, cacheDir, signal } = place;
    const folder = cacheDir === undefined ? undefined : await CacheFolder.open(cacheDir);
    if (folder === undefined) return await fillOrClose(await OpenedIndex.#inMemory(), fill);
    const key = cacheKey(root, limits);
    try {
      const opened = (await OpenedIndex.#copy({ folder, key }, signal)) ?? (await OpenedIndex.#new({ folder, key }));
      const filled = await fillOrClose(opened, fill);
      opened.#keep();
      return filled;
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
    }
    // Damage that only shows in use, or a full disk.
    await folder.remove(key);
    return await fillOrClose(await OpenedIndex.#inMemory(), fill);
  }

  /** True when the tables are in a file, which may turn out to be damaged. */
  get isInFile(): boolean {
    return this.#working !== undefined;
  }

  /** Resolves when the index is kept, or cannot be. */
  async whenKept(): Promise<void> {
    await this.#kept;
  }

  /** Closes the tables: at once, or when the index is kept (`isUsed`). */
  async close(isUsed: boolean): Promise<void> {
    if (!isUsed) this.#closing.abort();
    if (this.#working === undefined) {
      this.store.close();
      return;
    }
    await this.#kept;
    await this.#working.close();
  }

  /** Removes the kept index, after `close`. */
  async discard(): Promise<void> {
    await this.#place?.folder.remove(this.#place.key);
  }

  #keep(): void {
    const { store } = this;
    const [working, place] = [this.#working, this.#place];
    if (working === undefined || place === undefined || store.changes === 0) return;
    const { changes } = store;
    const isUnchanged = (): boolean => store.changes === changes;
    this.#kept = working.keep(place, { isUnchanged, signal: this.#closing.signal });
  }

  static async #inMemory(): Promise<OpenedIndex> {
    const { DatabaseSync } = await import('node:sqlite');
    return new OpenedIndex({ store: IndexStore.create(new DatabaseSync(':memory:')) });
  }

  static async #new(place: KeptPlace): Promise<OpenedIndex> {
    const working = await WorkingFile.open(place);
    if (working === undefined) return await OpenedIndex.#inMemory();
    return new OpenedIndex({ store: IndexStore.create(working.database), working, place });
  }

  /** Opens a copy of the kept index; undefined, and the index removed, when it is not exactly as we write it. */
  static async #copy(place: KeptPlace, signal: AbortSignal): Promise<OpenedIndex | undefined> {
    const { folder, key } = place;
    const kept = await folder.find(key);
    if (kept === undefined) return undefined;
    const working = await WorkingFile.open(place, kept, signal);
    if (working === undefined) return undefined;
    const opened = await tablesOf(working, signal);
    if (opened !== undefined) return new OpenedIndex({ ...opened, working, place });
    await working.close();
    await folder.remove(key);
    return undefined;
  }
}

async function tablesOf(
  { database }: WorkingFile,
  signal: AbortSignal,
): Promise<{ readonly store: IndexStore; readonly known: Map<string, KnownFile> } | undefined> {
  try {
    const store = await IndexStore.over(database);
    const known = await store?.known(new Pace(signal));
    return store === undefined || known === undefined ? undefined : { store, known };
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** True for an error of reading tables that are not as we write them. */
function isDamage(error: unknown): boolean {
  // Numbers beyond those of JavaScript.
  const isNumber = error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
  return isNumber || isDatabaseError(error);
}

async function fillOrClose<Filled>(opened: OpenedIndex, fill: (opened: OpenedIndex) => Promise<Filled>): Promise<Filled> {
  try {
    return await fill(opened);
  } catch (error) {
    await opened.close(false);
    throw error;
  }
}

/**
 * Version of what an index holds. Raise it with every change of reading, parsing, chunking or indexing that gives another index for the
 * same files: an index of another version is not used.
 */
export const indexFormat = 1;

/** Returns the name under which the index of a place is kept: another place, other limits or another way to read have another one. */
function cacheKey({ folder, only }: DocumentRoot, limits: DocumentLimits): string {
  const { maxFileBytes, maxPdfBytes, maxFiles } = limits;
  const bounds = [maxFileBytes, maxPdfBytes, maxFiles, maxTotalBytes, maxWalkEntries, maxWalkDepth, maxHitChars];
  const readers = [process.versions['sqlite'], process.versions['unicode'], pdfReader()];
  const parts = [indexFormat, folder, only ?? null, bounds, readers];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** Returns which package reads PDFs, since its version decides about their text; undefined when none is installed. */
function pdfReader(): string | undefined {
  try {
    const file = fileURLToPath(import.meta.resolve('unpdf'));
    const { size, mtimeMs } = statSync(file);
    return `${file}:${size}:${mtimeMs}`;
  } catch {
    // Not installed: PDFs are left out.
    return undefined;
  }
}
