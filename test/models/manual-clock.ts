import type { Clock } from '../../src/core/clock.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';

/** The manual clock of `cadre/testing`, counting the timers that are set, and able to run until a promise settles. */
export class ManualClock implements Clock {
  readonly #clock = manualClock();
  /** How often a timer was set, to see what a chunk costs. */
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

  /** Moves the clock on, firing what falls due on the way. */
  async advance(ms: number): Promise<void> {
    await settle();
    await this.#clock.advance(ms);
    await settle();
  }

  /** Moves on from timer to timer until a promise settles. */
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

/** Lets everything that waits for nothing but its turn run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
