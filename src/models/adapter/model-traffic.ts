import type { Clock } from '../../core/clock.ts';
import { Cooldowns, type TargetKey } from '../attempts/cooldowns.ts';
import { RateLane } from '../attempts/rate-lane.ts';

/** State shared by all model calls of a process: cooldowns of models and lanes of provider keys. */
export class ModelTraffic {
  readonly cooldowns: Cooldowns;
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
