import type { Clock } from '../../core/clock.ts';
import { Cooldowns, type TargetKey } from '../attempts/cooldowns.ts';
import { RateLane } from '../attempts/rate-lane.ts';

/** What all model calls of a process share: which models are left alone, and the lanes of the provider keys. */
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

  /** The lane of a key, if there has been a reason for one. */
  findLane(key: TargetKey): RateLane | undefined {
    return typeof key === 'string' ? this.#named.get(key) : this.#objects.get(key);
  }

  /** The lane of a key. */
  laneOf(key: TargetKey): RateLane {
    const known = this.findLane(key);
    if (known !== undefined) return known;
    const lane = new RateLane(this.#clock);
    if (typeof key === 'string') this.#named.set(key, lane);
    else this.#objects.set(key, lane);
    return lane;
  }

  /** A number that is higher than all before it. */
  nextTicket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }
}

// Not state of a run: how many calls are under way, and when the next may be made; what they bring is decided elsewhere.
const ofClock = new WeakMap<Clock, ModelTraffic>();

/** The traffic of all engines that run by one clock: with the system's, that is the whole process. */
export function trafficOf(clock: Clock): ModelTraffic {
  const known = ofClock.get(clock);
  if (known !== undefined) return known;
  const traffic = new ModelTraffic(clock);
  ofClock.set(clock, traffic);
  return traffic;
}
