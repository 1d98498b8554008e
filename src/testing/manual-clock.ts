import type { Clock } from '../core/clock.ts';

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Lets time pass: timers that come due run in order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock, forwards or backwards; timers and durations are not touched. */
  setWall(ms: number): void;
  /** Timers that wait. */
  readonly timers: number;
  /** Milliseconds until the next timer comes due; undefined when none waits. */
  readonly nextIn: number | undefined;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Makes a manual clock that starts at the given wall time, by default 2026-01-01 UTC. */
export function manualClock(startAt = Date.UTC(2026, 0, 1)): ManualClock {
  let wall = startAt;
  let elapsed = 0;
  let order = 0;
  const timers = new Set<Timer>();
  const next = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (
        timer.due <= until &&
        (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
      )
        first = timer;
    }
    return first;
  };
  const move = (to: number): void => {
    wall += to - elapsed;
    elapsed = to;
  };
  return {
    now: () => wall,
    monotonic: () => elapsed,
    setTimer: (ms, callback) => {
      const timer = { due: elapsed + Math.max(0, ms), order: order++, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const until = elapsed + ms;
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        timers.delete(timer);
        move(timer.due);
        timer.callback();
        await settle();
      }
      move(until);
      await settle();
    },
    setWall: (ms) => {
      wall = ms;
    },
    get timers() {
      return timers.size;
    },
    get nextIn() {
      const first = next(Number.POSITIVE_INFINITY);
      return first === undefined ? undefined : first.due - elapsed;
    },
  };
}

/** Lets everything that is ready run, without real time passing. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
