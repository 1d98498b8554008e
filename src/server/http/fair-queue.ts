import { setImmediate } from 'node:timers/promises';

/**
 * Gives callers one event-loop turn each, in order, so that requests and runs are served in between however many callers there are.
 */
export class FairQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  next(): Promise<unknown> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
