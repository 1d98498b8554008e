import type { CadreEvent } from '../../src/core/events/event.ts';
import type { RunId } from '../../src/core/ids.ts';
import { checkRunDecisions } from './checks/check-decisions.ts';
import { interceptSyncs } from './disk/observed-syncs.ts';
import { checkRuns } from './checks/check-run.ts';
import { type Errand, Host } from './process/host.ts';
import type { FaultCounts } from './world/faults.ts';
import type { MechanismCounts } from './world/mechanisms.ts';
import { People } from './world/people.ts';
import { loadPrograms } from './process/module-graphs.ts';
import { World, type SimulationOptions } from './world/world.ts';

/** Result of a simulated run. */
export interface SimulationResult {
  readonly options: SimulationOptions;
  /** Number of times each kind of fault, and each mechanism, was reached. */
  readonly counts: FaultCounts & MechanismCounts;
  readonly isFaulted: boolean;
  /** Moments at which a crash could have struck. */
  readonly moments: number;
  readonly steps: number;
  /** The events of the first run. */
  readonly journal: readonly CadreEvent[];
  /** The events of every run. */
  readonly journals: readonly (readonly CadreEvent[])[];
  /** Violated invariants; empty when all hold. */
  readonly violations: readonly string[];
}

/** Maximum number of steps until every run is at rest. */
const mostSteps = 6_000;
/** Timers further away than this are no reason to wait, in milliseconds. */
const farAway = 3_600_000;

/** Runs one seed from launch to rest, with faults until the storm is over, and holds everything against the journal. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  // Vitest has loaded the program already.
  if (process.env['VITEST'] === undefined) interceptSyncs();
  // What cannot be loaded is a mistake of the simulation, not a finding.
  await loadPrograms();
  const simulation = new Simulation(options);
  try {
    await simulation.run();
  } catch (thrown) {
    simulation.world.violations.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  }
  const { world, steps } = simulation;
  const journals = world.disk.runIds.map((runId) => world.disk.events(runId));
  world.disk.dispose();
  return {
    options,
    counts: { ...world.faults.counts, ...world.mechanisms },
    isFaulted: world.faults.total > 0,
    moments: world.moments,
    steps,
    journal: journals[0] ?? [],
    journals,
    violations: world.violations,
  };
}

class Simulation {
  readonly world: World;
  readonly #people: People;
  #host: Host;
  #hosts = 1;
  #closing = false;
  /** Steps in which nothing could happen, one after the other. */
  #idle = 0;
  steps = 0;

  constructor(options: SimulationOptions) {
    this.world = new World(options);
    this.#people = new People(this.world);
    this.#host = new Host(this.world, 1);
  }

  async run(): Promise<void> {
    const { world } = this;
    void this.#host.start({ launch: true });
    // After that many steps the faults stop, and everything still running must finish.
    const storm = 8 + world.order.int(world.cast.storm);
    for (this.steps = 1; ; this.steps++) {
      await this.#host.booted;
      await settle(world.order.chance(0.2) ? 2 : 1);
      if (world.violations.length > 0) return;
      if (this.steps === storm) world.faults.stopped = true;
      if (this.steps > mostSteps) throw world.violated(`T4: no rest after ${mostSteps} steps; ${this.#whatWaits()}`);
      const happened = this.#step();
      if (!happened && world.faults.stopped && this.#isAtRest()) break;
      // Two things may happen in one breath, before the engine has taken in the first.
      if (happened && world.order.chance(0.2)) this.#step();
    }
    checkRuns(world, this.#host);
    if (world.options.skipsDecisions !== true) await checkRunDecisions(world);
  }

  /** Lets one thing happen; false when nothing can. */
  #step(): boolean {
    const { world } = this;
    const { order, scheduler, time, faults } = world;
    if (this.#replaceLost()) return true;
    if (world.moment(this.#host, 'between') === 'dies') return true;
    if (this.#mischief()) return true;
    if (!faults.stopped && this.#host.runs.size > 0 && order.chance(0.18)) {
      this.#people.act(this.#host);
      return true;
    }
    this.#idle += 1;
    if (scheduler.size > 0 && (order.chance(0.95) || !time.waits(farAway))) {
      this.#idle = 0;
      scheduler.step(order);
      if (order.chance(0.3)) time.pass(order.int(100));
      return true;
    }
    if (time.waits(farAway)) {
      this.#idle = 0;
      time.fire();
      return true;
    }
    // Ready work may need a few more rounds, and a recovery or a close many.
    const patience = this.#host.isTakingUp || this.#closing ? 300 : 3;
    return !faults.stopped || this.#idle < patience || this.#people.decideLast(this.#host);
  }

  /** Replaces a dead process by another; recovers a halted run in its process, or in the next one. */
  #replaceLost(): boolean {
    const host = this.#host;
    const { order, time, disk } = this.world;
    const isAlive = host.state === 'alive';
    if (isAlive && (host.isTakingUp || (host.failure === undefined && host.failed.size === 0))) return false;
    const [halted] = host.failed.keys();
    if (isAlive && host.engine !== undefined && order.chance(0.5)) {
      if (host.failure === undefined && halted !== undefined) void host.again(halted);
      else void host.start(this.#errand((runId) => !host.runs.has(runId)));
      return true;
    }
    if (isAlive) {
      host.state = 'dead';
      this.world.kill(host);
    }
    disk.abandon(host);
    // Sometimes no process is alive for longer than calls wait for people.
    if (order.chance(0.3)) time.pass(order.int(10_000));
    this.#closing = false;
    this.#hosts += 1;
    this.#host = new Host(this.world, this.#hosts);
    void this.#host.start(this.#errand(() => true));
    return true;
  }

  /** Returns the first task of a process that takes over: launch while the journal is empty, else recover its runs. */
  #errand(isLeft: (runId: RunId) => boolean): Errand {
    const { runIds } = this.world.disk;
    return runIds.length === 0 ? { launch: true } : { takeUp: runIds.filter(isLeft) };
  }

  /** Injects faults that are not part of any answer. */
  #mischief(): boolean {
    const { faults, time, order, crashesLeft, disk } = this.world;
    const host = this.#host;
    if (disk.isFull && (faults.stopped || order.chance(0.2))) disk.isFull = false;
    else if (!disk.isFull && faults.strikes('disk full', 0.01)) disk.isFull = true;
    if (faults.strikes('clock jumps', 0.02)) time.jump(order.pick([-3_600_000, 1_000, 315_360_000_000]));
    if (crashesLeft > 0 && !host.isTakingUp && faults.strikes('stale writer', 0.02)) {
      this.world.crashesLeft -= 1;
      this.world.disown(host);
      return true;
    }
    const held = this.#heldRun();
    if (held !== undefined && faults.strikes('rival process', 0.02) && disk.givesTo(held))
      throw this.world.violated('I8: another process was given a run whose holder is alive');
    if (!this.#closing && !host.isTakingUp && host.engine !== undefined && faults.strikes('engine closed', 0.01)) {
      this.#close();
      return true;
    }
    return false;
  }

  #close(): void {
    const host = this.#host;
    this.#closing = true;
    host.close().then(
      () => host.fail(new Error('closed')),
      (why: unknown) => host.fail(why),
    );
  }

  /** A run its process holds beyond doubt. */
  #heldRun(): RunId | undefined {
    const { state, isTakingUp, runs, failed, failure } = this.#host;
    if (state !== 'alive' || this.#closing || isTakingUp || failure !== undefined) return undefined;
    return [...runs].find(([runId, run]) => run.state.outcome === undefined && !failed.has(runId))?.[0];
  }

  #isAtRest(): boolean {
    const { isTakingUp, runs } = this.#host;
    return runs.size > 0 && !isTakingUp && this.world.scheduler.size === 0;
  }

  #whatWaits(): string {
    const { scheduler } = this.world;
    const { failure, failed, runs } = this.#host;
    const failures = [failure, ...failed.values()]
      .filter((each) => each !== undefined)
      .map((each) => `, failed with ${String(each)}`);
    const statuses = [...runs].map(([runId, { state }]) => `${runId} ${state.status}`).join(', ') || 'nothing launched';
    return `${statuses}${failures.join('')}, waiting: ${scheduler.labels.join(', ') || 'nothing'}`;
  }
}

/** Lets everything that is ready run, in that many rounds. */
async function settle(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
}
