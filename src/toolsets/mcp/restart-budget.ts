/** How often, and how fast, a server is tried again. */
const maxRestarts = 5;
const windowMs = 10 * 60_000;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** A connection that held for so long was a good one: the next wait is short again. */
const steadyMs = 60_000;

/** When a server may be tried again, so that one that keeps dying is left alone most of the time (FAULTS P1). */
export class RestartBudget {
  #restarts: number[] = [];
  #failures = 0;

  /** Notes a try at `now` and says how long to wait for it, and whether the budget is spent, so that the wait is a long one. */
  next(now: number): { readonly waitMs: number; readonly spent: boolean } {
    this.#restarts = this.#restarts.filter((at) => at > now - windowMs);
    const backoff = Math.min(longestWaitMs, firstWaitMs * 2 ** this.#failures);
    this.#failures += 1;
    const oldest = this.#restarts.length < maxRestarts ? undefined : this.#restarts[0];
    const waitMs = oldest === undefined ? backoff : Math.max(backoff, oldest + windowMs - now);
    this.#restarts.push(now + waitMs);
    return { waitMs, spent: oldest !== undefined };
  }

  /** Notes that a connection ended after it had held for so long. */
  held(ms: number): void {
    if (ms >= steadyMs) this.#failures = 0;
  }
}
