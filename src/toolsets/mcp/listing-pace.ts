/** How many changes within `quietMs` are looked at as soon as they are said. */
const atOnce = 10;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** After so long without a change, the next ones are looked at as soon as they are said again. */
const quietMs = 10 * 60_000;

/** How soon the tools of a server may be listed again. A change is an event in each run that uses it: a server that changes its tools all the time must not fill their journals. */
export class ListingPace {
  #count = 0;
  #next = 0;

  /** Notes a listing that is wanted at `now`, and says how long to wait for it, in milliseconds. */
  wait(now: number): number {
    if (now - this.#next >= quietMs) this.#count = 0;
    this.#count += 1;
    const pause = this.#count <= atOnce ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (this.#count - atOnce - 1));
    this.#next = Math.max(now, this.#next + pause);
    return this.#next - now;
  }
}
