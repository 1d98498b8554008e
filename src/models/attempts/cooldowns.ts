import type { Clock } from '../../core/clock.ts';
import type { ErrorCode } from '../../core/error.ts';

/** Identity of a model or key for all callers: a text, or a model object given by code. */
export type TargetKey = string | object;

/** Cooldown of a failed model. */
export interface Cooling {
  readonly code: ErrorCode;
  /** Monotonic instants. */
  readonly since: number;
  readonly until: number;
}

/** Cooldowns of models, shared by all calls of a process. */
export class Cooldowns {
  readonly #clock: Clock;
  readonly #named = new Map<string, Cooling>();
  readonly #objects = new WeakMap<object, Cooling>();
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False when no model is cooling down, the usual case, at almost no cost. */
  get any(): boolean {
    return this.#last > Number.NEGATIVE_INFINITY && this.#clock.monotonic() < this.#last;
  }

  /** Starts a model's cooldown. */
  start(target: TargetKey, code: ErrorCode, ms: number): void {
    if (ms <= 0) return;
    const since = this.#clock.monotonic();
    const cooling = { code, since, until: since + ms };
    this.#last = Math.max(this.#last, cooling.until);
    if (typeof target === 'string') this.#named.set(target, cooling);
    else this.#objects.set(target, cooling);
  }

  /** Ends a model's cooldown after it answered. */
  end(target: TargetKey): void {
    if (typeof target === 'string') this.#named.delete(target);
    else this.#objects.delete(target);
  }

  /** Returns a model's cooldown; undefined once it is over. */
  find(target: TargetKey): Cooling | undefined {
    const cooling = typeof target === 'string' ? this.#named.get(target) : this.#objects.get(target);
    if (cooling === undefined || this.#clock.monotonic() < cooling.until) return cooling;
    this.end(target);
    return undefined;
  }
}
