import { signal } from '@preact/signals';
import type { ContentHash } from '../../src/core/ids.ts';
import type { RunSource } from './run-source.ts';

/**
 * Texts by their hash, for views that ask synchronously: one that is not there yet reads as undefined, is fetched, and
 * raises `revision`, upon which whoever asked computes again.
 */
export class ContentCache {
  readonly revision = signal(0);
  readonly #source: RunSource;
  readonly #known = new Map<ContentHash, string | null>();
  readonly #wanted = new Set<ContentHash>();
  readonly #failed = new Set<ContentHash>();

  constructor(source: RunSource) {
    this.#source = source;
  }

  /** The text of a hash; undefined when it is not here yet, or nowhere. */
  readonly read = (hash: ContentHash): string | undefined => {
    const known = this.#known.get(hash);
    if (known !== undefined) return known ?? undefined;
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#fetch());
    this.#wanted.add(hash);
    return undefined;
  };

  /** Whether a text is still on its way. */
  isMissing(hash: ContentHash): boolean {
    return !this.#known.has(hash);
  }

  /** Asks again for what could not be had: the server answers again. */
  retry(): void {
    const failed = [...this.#failed];
    this.#failed.clear();
    for (const hash of failed) this.read(hash);
  }

  async #fetch(): Promise<void> {
    const hashes = [...this.#wanted].filter((hash) => !this.#known.has(hash));
    this.#wanted.clear();
    if (hashes.length === 0) return;
    try {
      const found = await this.#source.contents(hashes);
      for (const hash of hashes) this.#known.set(hash, found[hash] ?? null);
    } catch {
      // The connection of the run says that the server does not answer; when it does again, they are asked for again.
      for (const hash of hashes) this.#failed.add(hash);
      return;
    }
    this.revision.value++;
  }
}
