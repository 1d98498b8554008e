import type { Clock } from '../core/clock.ts';

/** The clock of this machine. Only background timers let a finished process exit. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (ms, callback, options) => {
    // Node turns anything longer into 1 ms, so a longer wait is cut to the longest it can keep (24 days).
    const timer = setTimeout(callback, Math.min(ms, 2_147_483_647));
    if (options?.background === true) timer.unref();
    return () => clearTimeout(timer);
  },
};
