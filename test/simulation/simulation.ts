import type { CadreEvent } from '../../src/core/event.ts';
import type { RunId } from '../../src/core/ids.ts';
import { checkRun } from './checks/check-run.ts';
import type { FaultCounts } from './world/faults.ts';
import { Host } from './process/host.ts';
import { People } from './world/people.ts';
import { loadPrograms } from './process/module-graphs.ts';
import { World, type SimulationOptions } from './world/world.ts';

/** How a simulated run came out. */
export interface SimulationResult {
  readonly options: SimulationOptions;
  readonly counts: FaultCounts;
  readonly isFaulted: boolean;
  /** Moments at which a crash could have struck. */
  readonly moments: number;
  readonly steps: number;
  readonly journal: readonly CadreEvent[];
  /** What does not hold; empty when all is well. */
  readonly violations: readonly string[];
}

/** Steps after which the faults stop and whatever is left must come to an end. */
const stormySteps = 32;
/** Steps within which every run must have come to rest. */
const mostSteps = 6_000;
/** Timers further away than this are no reason to wait, in milliseconds. */
const farAway = 3_600_000;

/** Runs one seed from launch to rest, with faults until the storm is over, and holds everything against the journal. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  // What cannot be loaded is a mistake of the simulation, not a finding.
  await loadPrograms();
  const simulation = new Simulation(options);
  try {
    await simulation.run();
  } catch (thrown) {
    simulation.world.violations.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  }
  const { world, steps, runId } = simulation;
  return {
    options,
    counts: world.faults.counts,
    isFaulted: world.faults.total > 0,
    moments: world.moments,
    steps,
    journal: runId === undefined ? [] : world.disk.events(runId),
    violations: world.violations,
  };
}

class Simulation {
  readonly world: World;
  readonly #people: People;
  #host: Host;
  #hosts = 1;
  #closing = false;
  steps = 0;

  constructor(options: SimulationOptions) {
    this.world = new World(options);
    this.#people = new People(this.world);
    this.#host = new Host(this.world, 1);
  }

  get runId(): RunId | undefined {
    return this.world.disk.commits[0]?.runId;
  }

  async run(): Promise<void> {
    const { world } = this;
    const profile = world.cast.root;
    void this.#host.start({ profile });
    const storm = 8 + world.order.int(stormySteps);
    for (this.steps = 1; ; this.steps++) {
      await this.#host.booted;
      await settle(world.order.chance(0.2) ? 2 : 1);
      if (world.violations.length > 0) return;
      if (this.steps === storm) world.faults.stopped = true;
      if (this.steps > mostSteps) throw world.violated(`T4: no rest after ${mostSteps} steps; ${this.#whatWaits()}`);
      const happened = this.#step(profile);
      if (!happened && world.faults.stopped && this.#isAtRest()) break;
      // Two things may happen in one breath, before the engine has taken in the first.
      if (happened && world.order.chance(0.2)) this.#step(profile);
    }
    await checkRun(world, this.#host);
  }

  /** Lets one thing happen; false when nothing can. */
  #step(profile: string): boolean {
    const { world } = this;
    const { order, scheduler, time, faults } = world;
    if (this.#replaceLost(profile)) return true;
    if (world.moment(this.#host, 'between') === 'dies') return true;
    if (this.#mischief()) return true;
    if (!faults.stopped && this.#host.run !== undefined && order.chance(0.18)) {
      this.#people.act(this.#host);
      return true;
    }
    if (scheduler.size > 0 && (order.chance(0.95) || !time.waits(farAway))) {
      scheduler.step(order);
      if (order.chance(0.3)) time.pass(order.int(100));
      return true;
    }
    if (time.waits(farAway)) {
      time.fire();
      return true;
    }
    if (!faults.stopped) return true;
    if ((this.#host.run?.pending.length ?? 0) > 0) {
      this.#people.decide(this.#host);
      return true;
    }
    return false;
  }

  /** A process that died or whose run halted is followed by another, or takes the run up again itself. */
  #replaceLost(profile: string): boolean {
    const host = this.#host;
    const { order, disk } = this.world;
    if (host.state === 'alive' && host.failure === undefined) return false;
    const launch = this.runId === undefined ? { profile } : { runId: this.runId };
    if (host.state === 'alive' && host.engine !== undefined && order.chance(0.5)) {
      void host.start(launch);
      return true;
    }
    if (host.state === 'alive') {
      host.state = 'dead';
      this.world.kill(host);
    }
    disk.abandon(host.id);
    this.#closing = false;
    this.#hosts += 1;
    this.#host = new Host(this.world, this.#hosts);
    void this.#host.start(launch);
    return true;
  }

  /** Faults that are nobody's answer. */
  #mischief(): boolean {
    const { faults, time, order, crashesLeft } = this.world;
    const host = this.#host;
    if (faults.strikes('clock jumps', 0.02)) time.jump(order.pick([-3_600_000, 1_000, 315_360_000_000]));
    if (crashesLeft > 0 && !host.isTakingUp && faults.strikes('stale writer', 0.02)) {
      this.world.crashesLeft -= 1;
      this.world.disown(host);
      return true;
    }
    if (this.#holdsItsRun() && this.runId !== undefined && faults.strikes('rival process', 0.02)) {
      if (this.world.disk.givesTo('1@elsewhere#rival', this.runId))
        throw this.world.violated('I8: another process was given a run whose holder is alive');
    }
    if (!this.#closing && !host.isTakingUp && host.engine !== undefined && faults.strikes('engine closed', 0.01)) {
      this.#closing = true;
      host.engine.close().then(
        () => {
          host.fail(new Error('closed'));
          host.engine = undefined;
        },
        (error: unknown) => {
          host.fail(error);
          host.engine = undefined;
        },
      );
      return true;
    }
    return false;
  }

  #holdsItsRun(): boolean {
    const { state, isTakingUp, run, failure } = this.#host;
    return (
      state === 'alive' &&
      !this.#closing &&
      !isTakingUp &&
      failure === undefined &&
      run?.state.outcome === undefined &&
      run !== undefined
    );
  }

  #isAtRest(): boolean {
    return this.#host.run !== undefined && !this.#host.isTakingUp && this.world.scheduler.size === 0;
  }

  #whatWaits(): string {
    const { scheduler } = this.world;
    const failure = this.#host.failure === undefined ? '' : `, failed with ${String(this.#host.failure)}`;
    return `run ${this.#host.run?.state.status ?? 'not launched'}${failure}, waiting: ${scheduler.labels.join(', ') || 'nothing'}`;
  }
}

/** Lets everything that is ready run, in that many rounds. */
async function settle(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
}
