import type { Clock } from '../../src/core/clock.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is moved; timers fire in order of time, and what they set off runs before the next. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  #order = 0;
  readonly #timers = new Set<Timer>();
  /** How often a timer was set, to see what a chunk costs. */
  timersSet = 0;

  now(): number {
    return 1_700_000_000_000 + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimer(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + ms, order: (this.#order += 1), callback };
    this.timersSet += 1;
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that are set and have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the clock on, firing what falls due on the way. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await settle();
    for (;;) {
      const next = [...this.#timers].filter(({ due }) => due <= target).toSorted((a, b) => a.due - b.due || a.order - b.order)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
      await settle();
    }
    this.#now = target;
  }

  /** Moves on from timer to timer until a promise settles. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.finally(() => (settled = true));
    for (let hops = 0; hops < 1000; hops += 1) {
      await settle();
      if (settled) return done;
      const next = [...this.#timers].toSorted((a, b) => a.due - b.due)[0];
      if (next !== undefined) await this.advance(next.due - this.#now);
    }
    throw new Error('the promise did not settle');
  }
}

/** Lets everything that waits for nothing but its turn run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
