import type { Effect } from '../../core/events/transaction.ts';

/** Number of effects that start in one turn of the event loop. */
const portion = 32;

/**
 * Queue of the effects that a run's commits made due, in order. Effects of an ordinary commit start immediately; of a large batch, such as
 * a thousand agents started by one decision, the rest start in later turns of the event loop, and effects that become due meanwhile queue
 * behind them. So a `stop` or `interrupt` never overtakes the start of its call.
 */
export class DueEffects {
  readonly #start: (effect: Effect) => void;
  readonly #defer: (callback: () => void) => void;
  readonly #onIdle: () => void;
  #waiting: Effect[] = [];

  constructor(parts: {
    readonly start: (effect: Effect) => void;
    readonly defer: (callback: () => void) => void;
    readonly onIdle: () => void;
  }) {
    this.#start = parts.start;
    this.#defer = parts.defer;
    this.#onIdle = parts.onIdle;
  }

  /** Number of effects that have not started. */
  get size(): number {
    return this.#waiting.length;
  }

  add(effects: readonly Effect[]): void {
    if (this.#waiting.length > 0) {
      for (const effect of effects) this.#waiting.push(effect);
      return;
    }
    if (effects.length > portion) {
      this.#waiting = effects.slice(portion);
      this.#defer(() => this.#go());
    }
    for (let index = 0; index < effects.length && index < portion; index += 1) {
      const effect = effects[index];
      if (effect !== undefined) this.#start(effect);
    }
  }

  /** Drops the effects that have not started. */
  clear(): void {
    this.#waiting = [];
  }

  #go(): void {
    for (const effect of this.#waiting.splice(0, portion)) this.#start(effect);
    if (this.#waiting.length > 0) this.#defer(() => this.#go());
    else this.#onIdle();
  }
}
