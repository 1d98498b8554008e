/** Number of changes within `quietMs` that are listed without delay. */
const undelayed = 10;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
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
    const pause = this.#count <= undelayed ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (this.#count - undelayed - 1));
    this.#next = Math.max(now, this.#next + pause);
    return this.#next - now;
  }
}
