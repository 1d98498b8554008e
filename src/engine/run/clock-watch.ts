import type { Clock } from '../../core/clock.ts';

/** Smaller corrections of the wall clock are left to add up. */
const noticedMs = 1_000;

/** Notices when the wall clock jumps: somebody set it, or the machine slept. */
export class ClockWatch {
  readonly #clock: Clock;
  /** What the wall clock is ahead of the monotonic one. */
  #ahead: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.monotonic();
  }

  /** How far the wall clock has jumped since it was last noticed, in milliseconds; 0 when it has not. */
  jumpMs(): number {
    const ms = this.unnoticedMs;
    this.#ahead += ms;
    return ms;
  }

  /** How far the wall clock has jumped, in milliseconds, which no event says yet. */
  get unnoticedMs(): number {
    const jump = this.#clock.now() - this.#clock.monotonic() - this.#ahead;
    return Math.abs(jump) < noticedMs ? 0 : Math.round(jump);
  }
}
