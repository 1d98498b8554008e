import { setImmediate } from 'node:timers/promises';

/**
 * Lets those who have much to do do it in turns, one portion in each turn of the event loop, however many they are: requests and runs
 * are served in between.
 */
export class TakeTurns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  mine(): Promise<unknown> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
