// How many times the event loop turns without anybody asking before an answer is no longer held back for an earlier one.
const patience = 25;

/**
 * Hands out answers in the order they were recorded in, one per turn of the event loop. One that is asked for early waits for those
 * before it, as long as somebody may still ask for them: when nothing happens any more, the first that waits is handed out.
 */
export class DeliveryOrder {
  readonly #places: readonly number[];
  readonly #waiting = new Map<number, () => void>();
  readonly #given = new Set<number>();
  #next = 0;
  #quiet = 0;
  #watching = false;

  /** `places` are those of the answers, growing. */
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
    // What is skipped is nobody's any more; whoever asks for it later gets it at once.
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
