/** Number of restarts and their delays. */
const maxRestarts = 5;
const windowMs = 10 * 60_000;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** Duration after which a connection counts as stable: the next delay is short again. */
const steadyMs = 60_000;

/** Limits retries, so that a server that keeps crashing is idle most of the time (FAULTS P1). */
export class RestartBudget {
  #restarts: number[] = [];
  #failures = 0;

  /** Records a retry at `now` and returns its delay, and whether the budget is spent, which makes the delay long. */
  next(now: number): { readonly waitMs: number; readonly spent: boolean } {
    this.#restarts = this.#restarts.filter((at) => at > now - windowMs);
    const backoff = Math.min(longestWaitMs, firstWaitMs * 2 ** this.#failures);
    this.#failures += 1;
    const oldest = this.#restarts.length < maxRestarts ? undefined : this.#restarts[0];
    const waitMs = oldest === undefined ? backoff : Math.max(backoff, oldest + windowMs - now);
    this.#restarts.push(now + waitMs);
    return { waitMs, spent: oldest !== undefined };
  }

  /** Records how long an ended connection had lasted. */
  recordLifetime(ms: number): void {
    if (ms >= steadyMs) this.#failures = 0;
  }
}

/** Number of changes within `quietMs` that are listed without delay. */
const undelayed = 10;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** Time without a change after which the next ones are listed without delay again. */
const quietMs = 10 * 60_000;

/**
 * Limits how often a server's tools are listed. A change is an event in each run that uses the server: a server that changes its tools
 * continuously must not fill their journals.
 */
export class ListingPace {
  #count = 0;
  #next = 0;

  /** Records a listing requested at `now`, and returns how long to delay it, in milliseconds. */
  wait(now: number): number {
    if (now - this.#next >= quietMs) this.#count = 0;
    this.#count += 1;
    const pause = this.#count <= undelayed ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#count - undelayed - 1));
    this.#next = Math.max(now, this.#next + pause);
    return this.#next - now;
  }
}
