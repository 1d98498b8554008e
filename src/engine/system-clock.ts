import type { Clock } from '../core/clock.ts';

/** The clock of this machine. Only background timers let a finished process exit. */
export const systemClock: Clock = {
  // Looked up at each reading: a test may have put other clocks in their place.
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (ms, callback, options) => {
    // Node turns anything longer into 1 ms, so a longer wait is cut to the longest it can keep (24 days).
    const timer = setTimeout(callback, Math.min(ms, 2_147_483_647));
    if (options?.background === true) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Smallest change of the wall clock that counts as a jump, in milliseconds; smaller ones accumulate. */
const noticedMs = 1_000;

/** Detects jumps of the wall clock: it was set, or the machine slept. */
export class ClockWatch {
  readonly #clock: Clock;
  /** Milliseconds that the wall clock is ahead of the monotonic clock. */
  #ahead: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.monotonic();
  }

  /**
   * Returns the jump of the wall clock, which shows `now`, since the last call, in milliseconds, and marks it as noticed; 0 when there is
   * none.
   */
  jumpMs(now: number): number {
    const jump = now - this.#clock.monotonic() - this.#ahead;
    if (jump < noticedMs && jump > -noticedMs) return 0;
    const ms = Math.round(jump);
    this.#ahead += ms;
    return ms;
  }

  /** Milliseconds the wall clock has jumped that no event records yet. */
  get unnoticedMs(): number {
    const jump = this.#clock.now() - this.#clock.monotonic() - this.#ahead;
    return Math.abs(jump) < noticedMs ? 0 : Math.round(jump);
  }
}
