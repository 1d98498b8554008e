import type { RunId } from '../core/ids.ts';
import type { Journal, Lease } from '../core/journal.ts';

/**
 * The leases an engine takes.
 *
 * 1. One whose run does not come to life is given back.
 * 2. Closing waits for those that are being taken.
 */
export class Leases {
  readonly #journal: Journal;
  readonly #owner: string;
  readonly #taking = new Set<Promise<unknown>>();

  constructor(journal: Journal, owner: string) {
    this.#journal = journal;
    this.#owner = owner;
  }

  /** Takes the right to append to a run, and brings the run to life with it; fails, with the lease given back, when that fails. */
  async take<T>(runId: RunId, begin: (lease: Lease) => T | Promise<T>): Promise<T> {
    const taking = this.#take(runId, begin);
    this.#taking.add(taking);
    try {
      return await taking;
    } finally {
      this.#taking.delete(taking);
    }
  }

  /** Resolves when no lease is being taken. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#taking);
  }

  async #take<T>(runId: RunId, begin: (lease: Lease) => T | Promise<T>): Promise<T> {
    const lease = await this.#journal.acquire(runId, this.#owner);
    try {
      return await begin(lease);
    } catch (thrown) {
      await this.giveBack(lease);
      throw thrown;
    }
  }

  /** Gives back the lease of a run that cannot go on here, so that whoever takes it up again does not find it held. */
  async giveBack(lease: Lease): Promise<void> {
    try {
      await this.#journal.release(lease);
    } catch {
      // A store that fails here as well: the error that stopped the run says so, and the lease dies with this process.
    }
  }
}
