import { CadreError } from '../../../core/error.ts';
import type { DocumentLimits } from '../document-limits.ts';
import { isDatabaseError } from '../cache/working-file.ts';
import { disposedError, DocumentIndex } from './document-index.ts';
import type { ReadingProgress } from './index-documents.ts';

/** Place of a shared index. */
export interface SharedIndexOptions {
  readonly root: string | (() => string);
  readonly limits: DocumentLimits;
  readonly cacheDir: string | undefined;
}

/**
 * The index of one folder that all its tools use: built once, at the first use or by `begin`.
 *
 * 1. After a failed build, the next use builds again, and gets the error if that fails, too.
 * 2. An index in a file that turns out to be damaged is replaced by one in memory, and the work is done again.
 */
export class SharedIndex implements Disposable {
  readonly #options: SharedIndexOptions;
  readonly #disposal = new AbortController();
  #built: Promise<DocumentIndex> | undefined;
  #ready: DocumentIndex | undefined;
  #progress: ReadingProgress | undefined;
  #isDamaged = false;
  #isUsed = false;

  constructor(options: SharedIndexOptions) {
    this.#options = options;
  }

  /** How far the reading is; undefined when nothing is being read. */
  get progress(): ReadingProgress | undefined {
    return this.#progress;
  }

  /** True once a tool call has used the index. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Starts to build the index in the background; an error is left to the first use. */
  begin(): void {
    if (this.#disposal.signal.aborted) return;
    // The first use builds again, and reports the error.
    this.#index().catch(() => undefined);
  }

  /** Returns the index, which other calls share. */
  async get(): Promise<DocumentIndex> {
    const index = await this.#index();
    this.#isUsed = true;
    return index;
  }

  /** Does work with the index. */
  async use<Result>(work: (index: DocumentIndex) => Promise<Result>): Promise<Result> {
    const index = await this.get();
    try {
      return await work(index);
    } catch (error) {
      if (!this.#isLost(index, error)) throw error;
    }
    return await work(await this.get());
  }

  [Symbol.dispose](): void {
    this.#disposal.abort(disposedError());
    // The rest of keeping it goes on; errors of the system there mean only that it is not kept.
    void this.#ready?.close({ isUsed: this.#isUsed });
  }

  async #index(): Promise<DocumentIndex> {
    const { signal } = this.#disposal;
    if (signal.aborted) throw disposedError();
    const building = (this.#built ??= this.#build());
    try {
      return await building;
    } catch (error) {
      if (this.#built === building) this.#built = undefined;
      throw error;
    }
  }

  async #build(): Promise<DocumentIndex> {
    const { root, limits, cacheDir } = this.#options;
    const { signal } = this.#disposal;
    try {
      const index = await DocumentIndex.build(typeof root === 'string' ? root : root(), limits, {
        signal,
        cacheDir: this.#isDamaged ? undefined : cacheDir,
        onProgress: (progress) => {
          this.#progress = progress;
        },
      });
      if (signal.aborted) {
        await index.close();
        throw disposedError();
      }
      this.#ready = index;
      return index;
    } finally {
      this.#progress = undefined;
    }
  }

  /** True when the work failed because the index is damaged, or was replaced for that meanwhile. */
  #isLost(index: DocumentIndex, error: unknown): boolean {
    if (this.#disposal.signal.aborted || !index.isInFile) return false;
    if (this.#ready !== index) return error instanceof CadreError && error.code === 'ENGINE_CLOSED';
    if (!isDatabaseError(error)) return false;
    this.#isDamaged = true;
    this.#built = undefined;
    this.#ready = undefined;
    void index.discard();
    return true;
  }
}
