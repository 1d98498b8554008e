import type { Clock } from '../../core/clock.ts';

/** Capacity of one turn of the event loop: so many light operations, such as commits, or fewer heavy ones. */
const capacity = 32;

/** Milliseconds of such work after which the event loop gets a turn. */
const portionMs = 8;

/** Milliseconds of one long decision after which timers and sockets are served in any case. */
const longMs = 25;

/** What a throttle measures its portions by. */
export interface LoopThrottleParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Calls back in a later turn of the event loop. */
  readonly defer?: (callback: () => void) => void;
}

/**
 * Admits bulk work of an engine in portions, such as a thousand launches together, or a thousand runs whose models answer together: between
 * two portions the event loop turns, so that signals, timers and sockets are served.
 *
 * 1. While a portion lasts, passing takes no time.
 * 2. Callers pass in the order in which they came.
 * 3. A portion ends by its weight or by its time, whichever comes first; one operation passes in any case. Commits are weighed when they
 *    are done, so the first of a portion may end it, by its time.
 */
export class LoopThrottle {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #defer: (callback: () => void) => void;
  #waiting: { readonly weight: number; readonly resolve: () => void }[] = [];
  /** Number of those waiting that have passed and are still in the list. */
  #gone = 0;
  #passed = 0;
  #began = 0;
  #isTurning = false;
  #servesOthers = false;

  constructor({ clock, defer = setImmediate }: LoopThrottleParts) {
    this.#clock = clock;
    this.#defer = defer;
  }

  /** Passes an operation of this weight, 1 to 32; returns a promise when it must wait for another turn of the event loop. */
  pass(weight: number): Promise<void> | undefined {
    this.begin();
    return this.#waiting.length === 0 && this.#fits(weight) ? undefined : this.#wait(weight);
  }

  /** Begins a portion, unless one lasts: call it before the work that `delays` weighs. */
  begin(): void {
    if (!this.#isTurning) this.#turn();
  }

  /** Weighs a commit of so many events; true when the next must wait for another turn of the event loop, after which `goOn` is called. */
  delays(events: number, goOn: () => void): boolean {
    const weight = Math.min(capacity, 1 + Math.max(0, events >> 3));
    // A commit that waited for its store may end in a later turn than it began in.
    if (!this.#isTurning) this.#turn();
    if (this.#waiting.length === 0 && !(this.#passed === 0 && this.#isOver()) && this.#fits(weight)) return false;
    void this.#wait(weight).then(goOn);
    return true;
  }

  #wait(weight: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ weight, resolve }));
  }

  #fits(weight: number): boolean {
    if (this.#passed > 0 && (this.#passed + weight > capacity || this.#isOver())) return false;
    this.#passed += weight;
    return true;
  }

  #isOver(): boolean {
    return this.#clock.monotonic() - this.#began >= portionMs;
  }

  #turn(): void {
    this.#isTurning = true;
    this.#passed = 0;
    this.#began = this.#clock.monotonic();
    this.#servesOthers = false;
    this.#defer(this.#onTurn);
  }

  readonly #onTurn = (): void => {
    // An immediate may come in the very turn of the loop that asked for it, before timers that are due: after long work they come first.
    if (!this.#servesOthers && this.#clock.monotonic() - this.#began >= longMs) {
      this.#servesOthers = true;
      this.#defer(this.#onTurn);
    } else if (this.#waiting.length === 0) this.#isTurning = false;
    else {
      this.#turn();
      this.#admit();
    }
  };

  /** Admits those waiting one after the other: the time of a portion counts what each does at once. */
  readonly #admit = (): void => {
    const first = this.#waiting[this.#gone];
    if (first === undefined || !this.#fits(first.weight)) return;
    this.#gone += 1;
    // The list is cut now and then: shifting a long one for each caller takes longer than their work.
    if (this.#gone === this.#waiting.length || this.#gone === 1_024) {
      this.#waiting = this.#waiting.slice(this.#gone);
      this.#gone = 0;
    }
    first.resolve();
    // A tick comes when no promise is left to go on.
    queueMicrotask(() => process.nextTick(this.#admit));
  };
}
