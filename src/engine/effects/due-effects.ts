import type { Effect } from '../../core/events/transaction.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { RunEffects } from './run-effects.ts';

/** Number of effects that start in one turn of the event loop. */
const portion = 32;

/** Parts of the queue of a run's effects. */
export interface DueEffectsParts {
  /** The run as it is when an effect starts. */
  readonly run: { readonly state: RunContext };
  readonly effects: Pick<RunEffects, 'start'>;
  /** Calls back in a later turn of the event loop. */
  readonly defer: (callback: () => void) => void;
  /** Called when the last deferred effect has started. */
  readonly onIdle: () => void;
}

/**
 * Queue of the effects that a run's commits made due, in order. Effects of an ordinary commit start immediately; of a large batch, such as
 * a thousand agents started by one decision, the rest start in later turns of the event loop, and effects that become due meanwhile queue
 * behind them. So a `stop` or `interrupt` never overtakes the start of its call.
 */
export class DueEffects {
  readonly #run: DueEffectsParts['run'];
  readonly #effects: DueEffectsParts['effects'];
  readonly #defer: DueEffectsParts['defer'];
  readonly #onIdle: () => void;
  #waiting: Effect[] = [];

  constructor({ run, effects, defer, onIdle }: DueEffectsParts) {
    this.#run = run;
    this.#effects = effects;
    this.#defer = defer;
    this.#onIdle = onIdle;
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
      if (effect !== undefined) this.#effects.start(this.#run.state, effect);
    }
  }

  /** Drops the effects that have not started. */
  clear(): void {
    this.#waiting = [];
  }

  #go(): void {
    for (const effect of this.#waiting.splice(0, portion)) this.#effects.start(this.#run.state, effect);
    if (this.#waiting.length > 0) this.#defer(() => this.#go());
    else this.#onIdle();
  }
}
