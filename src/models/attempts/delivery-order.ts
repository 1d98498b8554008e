// Idle turns of the event loop after which an answer is no longer held back for an earlier one.
const patience = 25;

/**
 * Releases answers in their recorded order, one per turn of the event loop. A request that is early waits for earlier answers as
 * long as they may still be requested; once nothing happens any more, the first waiting one is released.
 */
export class DeliveryOrder {
  readonly #places: readonly number[];
  readonly #waiting = new Map<number, () => void>();
  readonly #given = new Set<number>();
  #next = 0;
  #quiet = 0;
  #watching = false;

  /** `places` are the positions of the answers, ascending. */
  constructor(places: readonly number[]) {
    this.#places = places;
  }

  /** Resolves when the answer at a place is due. */
  wait(place: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(place, resolve);
      this.#quiet = 0;
      if (this.#watching) return;
      this.#watching = true;
      setImmediate(this.#look);
    });
  }

  readonly #look = (): void => {
    const first = Math.min(...this.#waiting.keys());
    while (this.#given.has(this.#places[this.#next] ?? -1)) this.#next += 1;
    this.#quiet += 1;
    // Skipped answers are released immediately if they are requested later.
    if (first <= (this.#places[this.#next] ?? first) || this.#quiet > patience) this.#give(first);
    this.#watching = this.#waiting.size > 0;
    if (this.#watching) setImmediate(this.#look);
  };

  #give(place: number): void {
    this.#quiet = 0;
    this.#given.add(place);
    while ((this.#places[this.#next] ?? Number.POSITIVE_INFINITY) < place) this.#next += 1;
    const resolve = this.#waiting.get(place);
    this.#waiting.delete(place);
    resolve?.();
  }
}
