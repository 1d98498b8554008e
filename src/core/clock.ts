/** The engine's only source of time and timers; tests hand in a manual one. */
export interface Clock {
  /** Wall time in milliseconds since 1970, for records. Never used for order. */
  now(): number;
  /** Monotonic milliseconds, for durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds; the returned function cancels it. */
  setTimer(ms: number, callback: () => void): () => void;
}
