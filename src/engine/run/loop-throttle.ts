/** Capacity of one turn of the event loop: so many light operations, such as commits, or fewer heavy ones. */
const capacity = 32;

/** Returns the weight of a commit of so many events. */
export function weightOf(events: number): number {
  return Math.min(capacity, 1 + Math.max(0, events >> 3));
}

/**
 * Admits bulk work of an engine in portions, such as a thousand launches together, or a thousand runs whose models answer together: between
 * two portions the event loop turns, so that signals, timers and sockets are served.
 *
 * 1. While a portion lasts, passing takes no time.
 * 2. Callers pass in the order in which they came.
 */
export class LoopThrottle {
  readonly #defer: (callback: () => void) => void;
  readonly #waiting: { readonly weight: number; readonly resolve: () => void }[] = [];
  #passed = 0;
  #isTurning = false;

  constructor(defer: (callback: () => void) => void = setImmediate) {
    this.#defer = defer;
  }

  /** Passes an operation of this weight, 1 to 32; returns a promise when it must wait for another turn of the event loop. */
  pass(weight: number): Promise<void> | undefined {
    this.#turn();
    if (this.#waiting.length === 0 && this.#fits(weight)) return undefined;
    return new Promise((resolve) => this.#waiting.push({ weight, resolve }));
  }

  #fits(weight: number): boolean {
    if (this.#passed + weight > capacity) return false;
    this.#passed += weight;
    return true;
  }

  #turn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    this.#defer(() => {
      this.#isTurning = false;
      this.#passed = 0;
      let first = this.#waiting[0];
      if (first !== undefined) this.#turn();
      for (; first !== undefined && this.#fits(first.weight); first = this.#waiting[0]) {
        this.#waiting.shift();
        first.resolve();
      }
    });
  }
}
