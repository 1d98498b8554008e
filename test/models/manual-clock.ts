import type { Clock } from '../../src/core/clock.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';

/** The manual clock of `cadre/testing` with a count of timers, able to run until a promise settles. */
export class ManualClock implements Clock {
  readonly #clock = manualClock();
  /** Number of timers set so far, to measure the cost of a chunk. */
  timersSet = 0;

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(ms: number, callback: () => void): () => void {
    this.timersSet += 1;
    return this.#clock.setTimer(ms, callback);
  }

  /** Timers that are set and have not fired. */
  get pending(): number {
    return this.#clock.timers;
  }

  /** Advances the clock, firing timers that become due. */
  async advance(ms: number): Promise<void> {
    await settle();
    await this.#clock.advance(ms);
    await settle();
  }

  /** Advances from timer to timer until a promise settles. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.finally(() => (settled = true));
    for (let hops = 0; hops < 1000; hops += 1) {
      await settle();
      if (settled) return done;
      const { nextIn } = this.#clock;
      if (nextIn !== undefined) await this.advance(nextIn);
    }
    throw new Error('the promise did not settle');
  }
}

/** Runs everything that is ready. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
