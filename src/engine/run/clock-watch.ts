import type { Clock } from '../../core/clock.ts';

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

  /** Returns the jump of the wall clock since the last call, in milliseconds, and marks it as noticed; 0 when there is none. */
  jumpMs(): number {
    const ms = this.unnoticedMs;
    this.#ahead += ms;
    return ms;
  }

  /** Milliseconds the wall clock has jumped that no event records yet. */
  get unnoticedMs(): number {
    const jump = this.#clock.now() - this.#clock.monotonic() - this.#ahead;
    return Math.abs(jump) < noticedMs ? 0 : Math.round(jump);
  }
}
