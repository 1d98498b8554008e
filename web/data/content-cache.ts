import { signal } from '@preact/signals';
import type { ContentHash } from '../../src/core/ids.ts';
import type { RunSource } from './run-source.ts';

/**
 * Texts by hash, for views that read synchronously: a text that is not loaded reads as undefined, is fetched, and raises `revision`,
 * so that views compute again.
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

  /** Returns the text of a hash; undefined while it is loading, and when there is none. */
  readonly read = (hash: ContentHash): string | undefined => {
    const known = this.#known.get(hash);
    if (known !== undefined) return known ?? undefined;
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#fetch());
    this.#wanted.add(hash);
    return undefined;
  };

  /** True while a text is loading. */
  isMissing(hash: ContentHash): boolean {
    return !this.#known.has(hash);
  }

  /** Fetches failed texts again, after the server is reachable again. */
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
      // The connection note reports that the server does not answer; `retry` fetches these texts later.
      for (const hash of hashes) this.#failed.add(hash);
      return;
    }
    this.revision.value++;
  }
}
