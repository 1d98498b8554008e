import type { CommitBatch } from './commit-batch.ts';

/** Commit that waits to be appended together with the next one, at most to the end of this tick of the event loop. */
export class HeldCommit {
  /** Batch that is held back. */
  batch: CommitBatch | undefined;
  /** True at the end of the tick: the batch is to be appended now, alone or with another. */
  isDue = false;
  #isTickEndAwaited = false;
  readonly #defer: (callback: () => void) => void;
  readonly #wake: () => void;

  /** Calls `wake` once the held batch is due. */
  constructor(defer: (callback: () => void) => void, wake: () => void) {
    this.#defer = defer;
    this.#wake = wake;
  }

  /** Holds a batch back, or extends the held one. */
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
