import type { Clock } from '../../../src/core/clock.ts';

interface Timer {
  readonly host: number;
  due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Time of a simulated world: it advances only when the next timer of any process is made to fire. */
export class SimTime {
  readonly #timers = new Set<Timer>();
  /** Repeating timers, which never need waiting for: they fire when time passes for another reason. */
  readonly #beats = new Set<Timer & { readonly everyMs: number }>();
  #elapsed = 0;
  #wall = Date.UTC(2026, 0, 1);
  #order = 0;

  /** True when a timer is due within that many milliseconds. */
  waits(withinMs: number): boolean {
    const next = this.#next();
    return next !== undefined && next.due - this.#elapsed <= withinMs;
  }

  /** Moves to the next timer and lets it come due. */
  fire(): void {
    const timer = this.#next();
    if (timer === undefined) return;
    this.#timers.delete(timer);
    this.pass(Math.max(0, timer.due - this.#elapsed));
    for (const beat of [...this.#beats]) this.#comeBy(beat);
    timer.callback();
  }

  /** Calls back again and again, once for however many times it was due; the returned function ends it. */
  every(host: number, everyMs: number, callback: () => void): () => void {
    const beat = { host, due: this.#elapsed + everyMs, order: 0, callback, everyMs };
    this.#beats.add(beat);
    return () => this.#beats.delete(beat);
  }

  /** Lets a little time pass, without timers. */
  pass(ms: number): void {
    this.#elapsed += ms;
    this.#wall += ms;
  }

  /** Sets the wall clock, and nothing else. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** A process is gone, and its timers with it. */
  forget(host: number): void {
    for (const timers of [this.#timers, this.#beats] as const)
      for (const timer of timers) if (timer.host === host) timers.delete(timer as never);
  }

  #comeBy(beat: Timer & { readonly everyMs: number }): void {
    if (beat.due > this.#elapsed || !this.#beats.has(beat)) return;
    beat.due = this.#elapsed + beat.everyMs;
    beat.callback();
  }

  /** The clock as one process sees it. */
  clockOf(host: number): Clock {
    return {
      now: () => this.#wall,
      monotonic: () => this.#elapsed,
      setTimer: (ms, callback) => {
        const timer = { host, due: this.#elapsed + Math.max(0, ms), order: this.#order++, callback };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
    };
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) first = timer;
    }
    return first;
  }
}
