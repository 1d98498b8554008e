import { setImmediate as turnOfTheLoop, setTimeout as sleep } from 'node:timers/promises';
import { isLocked } from './sqlite-failure.ts';

/** How long a write waits for other processes' writes, in milliseconds, and how often it tries: at first at once, then less often. */
const longestWaitMs = 5_000;
const shortestPauseMs = 1;
const longestPauseMs = 25;
/** After so long a time at work, others get their turn of the event loop. */
const portionMs = 8;

interface Waiting {
  /** Tries the work; false while the file is locked. */
  readonly attempt: (mayWait: boolean) => boolean;
  readonly until: number;
}

/**
 * Lets what needs the lock of a SQLite file wait for it without stopping the event loop: each try fails at once when another process has it.
 *
 * 1. What does not have to wait is done at once, and answers at once.
 * 2. Work that waits is done in the order in which it came; later work queues behind it.
 * 3. After `longestWaitMs` a wait ends with SQLite's own error: nothing was written.
 */
export class LockWaits {
  readonly #waiting: Waiting[] = [];
  #isServing = false;

  /** Does work that may fail because the file is locked; a promise only when it has to wait. */
  run<T>(work: () => T): T | Promise<T> {
    if (this.#waiting.length === 0) {
      try {
        return work();
      } catch (thrown) {
        if (!isLocked(thrown)) throw thrown;
      }
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const attempt = (mayWait: boolean): boolean => {
      try {
        resolve(work());
      } catch (thrown) {
        if (mayWait && isLocked(thrown)) return false;
        reject(thrown);
      }
      return true;
    };
    this.#waiting.push({ attempt, until: performance.now() + longestWaitMs });
    if (!this.#isServing) void this.#serve();
    return promise;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    await sleep(shortestPauseMs);
    let pause = shortestPauseMs;
    let began = performance.now();
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.attempt(performance.now() < first.until)) {
        this.#waiting.shift();
        pause = shortestPauseMs;
        if (performance.now() - began < portionMs) continue;
        await turnOfTheLoop();
      } else {
        // Several processes that wait at the same pace would meet at every try.
        await sleep(pause * (0.5 + Math.random()));
        pause = Math.min(2 * pause, longestPauseMs);
      }
      began = performance.now();
    }
    this.#isServing = false;
  }
}

/** Does work at once that cannot wait for a promise; a file that is locked for a moment, as while its log is recovered, is tried again. */
export function tryBriefly<T>(work: () => T): T {
  const until = performance.now() + 40;
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!isLocked(thrown) || performance.now() > until) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
