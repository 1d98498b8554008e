/** The engine's only source of time and timers; tests hand in a manual one. */
export interface Clock {
  /** Wall time in milliseconds since 1970, for records. Never used for order. */
  now(): number;
  /** Monotonic milliseconds, for durations and deadlines. */
  monotonic(): number;
  /**
   * Calls back once after `ms` milliseconds; the returned function cancels it. A timer in the background keeps no process
   * alive that has nothing else to do.
   */
  setTimer(ms: number, callback: () => void, options?: { readonly background?: boolean }): () => void;
}
