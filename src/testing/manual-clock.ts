import type { Clock } from '../core/clock.ts';

/** A clock that only moves when a test advances it. */
export interface ManualClock extends Clock {
  /** Advances time: due timers run in order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock, forwards or backwards, without touching timers and durations. */
  setWall(ms: number): void;
  /** Number of waiting timers, excluding those in the background. */
  readonly timers: number;
  /** Milliseconds until the next of them is due; undefined when none waits. Timers in the background fire on the way. */
  readonly nextIn: number | undefined;
  /** Like `nextIn` for timers in the background: deadlines of whole runs and expiry of items. */
  readonly nextBackgroundIn: number | undefined;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  readonly background: boolean;
}

/** Creates a manual clock that starts at the given wall time, by default 2026-01-01 UTC. */
export function manualClock(startAt = Date.UTC(2026, 0, 1)): ManualClock {
  let wall = startAt;
  let elapsed = 0;
  let order = 0;
  const timers = new Set<Timer>();
  const next = (until: number, background?: boolean): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (
        timer.due <= until &&
        (background === undefined || timer.background === background) &&
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
    setTimer: (ms, callback, options) => {
      const timer = { due: elapsed + Math.max(0, ms), order: order++, callback, background: options?.background === true };
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
      return [...timers].filter(({ background }) => !background).length;
    },
    get nextIn() {
      const first = next(Number.POSITIVE_INFINITY, false);
      return first === undefined ? undefined : first.due - elapsed;
    },
    get nextBackgroundIn() {
      const first = next(Number.POSITIVE_INFINITY, true);
      return first === undefined ? undefined : first.due - elapsed;
    },
  };
}

/** Runs everything that is ready, without real time passing. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
