import type { Clock } from '../../core/clock.ts';
import type { ErrorCode } from '../../core/error.ts';

/** What identifies a model for all who call it: a text, or a model object that was handed in. */
export type TargetKey = string | object;

/** A model that failed and is left alone for a while. */
export interface Cooling {
  readonly code: ErrorCode;
  /** Monotonic instants. */
  readonly since: number;
  readonly until: number;
}

/** Which models are left alone, and until when; shared by all calls of a process. */
export class Cooldowns {
  readonly #clock: Clock;
  readonly #named = new Map<string, Cooling>();
  readonly #objects = new WeakMap<object, Cooling>();
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False when surely nothing cools down: the usual case, and all it costs. */
  get any(): boolean {
    return this.#last > Number.NEGATIVE_INFINITY && this.#clock.monotonic() < this.#last;
  }

  /** Leaves a model alone for a while. */
  start(target: TargetKey, code: ErrorCode, ms: number): void {
    if (ms <= 0) return;
    const since = this.#clock.monotonic();
    const cooling = { code, since, until: since + ms };
    this.#last = Math.max(this.#last, cooling.until);
    if (typeof target === 'string') this.#named.set(target, cooling);
    else this.#objects.set(target, cooling);
  }

  /** The model answered: it is not left alone any more. */
  end(target: TargetKey): void {
    if (typeof target === 'string') this.#named.delete(target);
    else this.#objects.delete(target);
  }

  /** Why a model is left alone; undefined once that is over. */
  find(target: TargetKey): Cooling | undefined {
    const cooling = typeof target === 'string' ? this.#named.get(target) : this.#objects.get(target);
    if (cooling === undefined || this.#clock.monotonic() < cooling.until) return cooling;
    this.end(target);
    return undefined;
  }
}
