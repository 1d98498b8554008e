import { signal } from '@preact/signals';
import type { ContentHash } from '../../src/core/ids.ts';
import type { RunSource } from './run-source.ts';

/**
 * Texts by their hash, for views that ask synchronously: one that is not there yet reads as undefined, is fetched, and
 * raises `revision`, upon which whoever asked computes again.
 */
export class ContentCache {
  readonly revision = signal(0);
  /** Why texts could not be fetched, the last time. */
  readonly problem = signal<string | undefined>(undefined);
  readonly #source: RunSource;
  readonly #known = new Map<ContentHash, string | null>();
  readonly #wanted = new Set<ContentHash>();

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

  async #fetch(): Promise<void> {
    const hashes = [...this.#wanted].filter((hash) => !this.#known.has(hash));
    this.#wanted.clear();
    if (hashes.length === 0) return;
    try {
      const found = await this.#source.contents(hashes);
      for (const hash of hashes) this.#known.set(hash, found[hash] ?? null);
      this.problem.value = undefined;
    } catch (thrown) {
      this.problem.value = thrown instanceof Error ? thrown.message : String(thrown);
      return;
    }
    this.revision.value++;
  }
}
