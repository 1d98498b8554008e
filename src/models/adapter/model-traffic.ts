import type { Clock } from '../../core/clock.ts';
import { RateLane } from '../attempts/rate-lane.ts';
import type { ErrorCode } from '../../core/error.ts';

/** State shared by all model calls of a process: cooldowns of models and lanes of provider keys. */
export class ModelTraffic {
  readonly cooldowns: Cooldowns;
  /** True once any key has a lane: until then no call needs to look for its own. */
  hasLanes = false;
  readonly #clock: Clock;
  readonly #named = new Map<string, RateLane>();
  readonly #objects = new WeakMap<object, RateLane>();
  #tickets = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.cooldowns = new Cooldowns(clock);
  }

  /** Returns the lane of a key, if it was created. */
  findLane(key: TargetKey): RateLane | undefined {
    return typeof key === 'string' ? this.#named.get(key) : this.#objects.get(key);
  }

  /** Returns the lane of a key, creating it if needed. */
  laneOf(key: TargetKey): RateLane {
    const known = this.findLane(key);
    if (known !== undefined) return known;
    const lane = new RateLane(this.#clock);
    this.hasLanes = true;
    if (typeof key === 'string') this.#named.set(key, lane);
    else this.#objects.set(key, lane);
    return lane;
  }

  /** Returns a number higher than all before it. */
  nextTicket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }
}

// Not state of a run: only the timing of calls; their results are applied elsewhere.
const ofClock = new WeakMap<Clock, ModelTraffic>();

/** Returns the traffic shared by all engines on a clock; with the system clock, by the whole process. */
export function trafficOf(clock: Clock): ModelTraffic {
  const known = ofClock.get(clock);
  if (known !== undefined) return known;
  const traffic = new ModelTraffic(clock);
  ofClock.set(clock, traffic);
  return traffic;
}

/** Identity of a model or key for all callers: a text, or a model object given by code. */
export type TargetKey = string | object;

/** Cooldown of a failed model. */
interface Cooling {
  readonly code: ErrorCode;
  /** Monotonic instants. */
  readonly since: number;
  readonly until: number;
}

/** Cooldowns of models, shared by all calls of a process. */
class Cooldowns {
  /** True once any model has cooled down: until then there is none to end. */
  wereUsed = false;
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
    this.wereUsed = true;
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
