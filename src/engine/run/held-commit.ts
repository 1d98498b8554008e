import type { CommitBatch } from './commit-batch.ts';

/** A commit that waits to be appended together with the next one, at most to the end of this tick of the event loop. */
export class HeldCommit {
  /** Batch that is held back. */
  batch: CommitBatch | undefined;
  /** The tick is over: it is to be appended now, with or without another. */
  isDue = false;
  #isTickEndAwaited = false;
  readonly #defer: (callback: () => void) => void;
  readonly #wake: () => void;

  /** Calls `wake` once the held batch is due. */
  constructor(defer: (callback: () => void) => void, wake: () => void) {
    this.#defer = defer;
    this.#wake = wake;
  }

  /** Holds a batch back, or goes on holding it with more in it. */
  hold(batch: CommitBatch): void {
    const isFirst = this.batch === undefined;
    this.batch = batch;
    if (!isFirst || this.#isTickEndAwaited) return;
    this.#isTickEndAwaited = true;
    this.#defer(this.#onTickEnd);
  }

  readonly #onTickEnd = (): void => {
    this.#isTickEndAwaited = false;
    if (this.batch === undefined) return;
    this.isDue = true;
    this.#wake();
  };
}
