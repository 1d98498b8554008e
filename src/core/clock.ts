/** The engine's only source of time and timers; tests use a manual one. */
export interface Clock {
  /** Wall time in milliseconds since 1970, for records. Never used for order. */
  now(): number;
  /** Monotonic milliseconds, for durations and deadlines. */
  monotonic(): number;
  /**
   * Calls back once after `ms` milliseconds; the returned function cancels it. A background timer does not keep an otherwise idle
   * process alive.
   */
  setTimer(ms: number, callback: () => void, options?: { readonly background?: boolean }): () => void;
}
