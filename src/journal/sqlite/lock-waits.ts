import { setImmediate as turnOfTheLoop, setTimeout as sleep } from 'node:timers/promises';
import { isLocked } from './sqlite-failure.ts';

/**
 * Longest time a write waits for writes of other processes, and the pauses between tries, in milliseconds. Pauses grow with each
 * try.
 */
const longestWaitMs = 5_000;
const shortestPauseMs = 1;
const longestPauseMs = 25;
/** Milliseconds of work after which the event loop gets a turn. */
const portionMs = 8;

interface Waiting {
  /** Tries the work; false while the file is locked. */
  readonly attempt: (mayWait: boolean) => boolean;
  readonly until: number;
}

/**
 * Waits for the lock of a SQLite file without blocking the event loop: each try fails immediately when another process holds it.
 *
 * 1. Work that need not wait is done synchronously.
 * 2. Waiting work is done in order of arrival; later work queues behind it.
 * 3. After `longestWaitMs` a wait ends with SQLite's own error: nothing was written.
 */
export class LockWaits {
  readonly #waiting: Waiting[] = [];
  #isServing = false;

  /** Does work that may fail because the file is locked. Returns a promise only when it has to wait. */
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
        // Jitter: processes that wait at the same pace would collide at every try.
        await sleep(pause * (0.5 + Math.random()));
        pause = Math.min(2 * pause, longestPauseMs);
      }
      began = performance.now();
    }
    this.#isServing = false;
  }
}

/** Does synchronous work, retrying briefly while the file is locked, as during recovery of its log. */
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
