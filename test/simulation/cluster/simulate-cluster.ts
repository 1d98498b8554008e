import type { CadreEvent } from '../../../src/index.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { checkCluster } from './check-cluster.ts';
import type { ClusterFaultCounts } from './cluster-faults.ts';
import { ClusterPeople } from './cluster-people.ts';
import { type ClusterOptions, ClusterWorld } from './cluster-world.ts';
import { SimProcess } from './sim-process.ts';

/** Result of a simulated cluster. */
export interface ClusterResult {
  readonly options: ClusterOptions;
  readonly counts: ClusterFaultCounts;
  readonly isFaulted: boolean;
  /** Moments at which a worker could have died. */
  readonly moments: number;
  readonly steps: number;
  /** The events of every run. */
  readonly journals: readonly (readonly CadreEvent[])[];
  /** Violated invariants; empty when all hold. */
  readonly violations: readonly string[];
}

/** Most steps until every run is at rest. */
const mostSteps = 12_000;
/** Milliseconds for which a run may be at work with nothing on its way. */
const mostQuietMs = 10_000;

/** Runs one seed: workers, a launcher, people and faults, until all runs are at rest; then holds everything against the journal. */
export async function simulateCluster(options: ClusterOptions): Promise<ClusterResult> {
  const simulation = new ClusterSimulation(options);
  const { world } = simulation;
  try {
    await simulation.run();
  } catch (thrown) {
    if (world.violations.length === 0) world.violated(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  }
  const runs = world.journal.runs() as readonly { readonly runId: RunId }[];
  for (const process of world.processes) world.kill(process);
  return {
    options,
    counts: world.faults.counts,
    isFaulted: world.faults.total > 0,
    moments: world.moments,
    steps: simulation.steps,
    journals: runs.map(({ runId }) => world.journal.read(runId) as readonly CadreEvent[]),
    violations: world.violations,
  };
}

class ClusterSimulation {
  readonly world: ClusterWorld;
  readonly #people: ClusterPeople;
  readonly #workers: number;
  /** The launcher takes up runs at work that an earlier one left; otherwise the workers find them. */
  readonly #takesUp: boolean;
  #launcher: SimProcess;
  #first: SimProcess | undefined;
  readonly #quietSince = new Map<RunId, number>();
  #booting: Promise<void>[] = [];
  #idle = 0;
  steps = 0;

  constructor(options: ClusterOptions) {
    this.world = new ClusterWorld(options);
    this.#people = new ClusterPeople(this.world);
    this.#workers = 1 + this.world.order.int(3);
    this.#takesUp = this.world.order.chance(0.5);
    this.#launcher = new SimProcess(this.world, 'launcher');
  }

  async run(): Promise<void> {
    const { world } = this;
    const { order } = world;
    for (let count = 0; count < this.#workers; count += 1) this.#boot(new SimProcess(world, 'worker'));
    this.#boot(this.#launcher);
    if (order.chance(0.35)) this.#boot((this.#first = new SimProcess(world, 'first')));
    const storm = 60 + order.int(300);
    for (this.steps = 1; ; this.steps += 1) {
      await Promise.all(this.#booting.splice(0));
      await settle(order.chance(0.2) ? 2 : 1);
      if (world.violations.length > 0) return;
      if (this.steps === storm) this.#endStorm();
      if (this.steps > mostSteps)
        throw world.violated(`a run does not end: no rest after ${mostSteps} steps; ${this.#whatWaits()}`);
      this.#step();
      if (world.faults.stopped && this.#isAtRest()) break;
    }
    checkCluster(world, this.#people.acts);
  }

  /** Lets one thing happen. */
  #step(): void {
    const { world } = this;
    const { order, scheduler, time, faults } = world;
    if (this.#replaceLost() || this.#mischief()) return;
    if (!faults.stopped && order.chance(this.steps < 20 ? 0.3 : 0.08)) return this.#act();
    const ready = scheduler.ready(world.isHeld);
    if (ready > 0 && order.chance(0.97)) {
      this.#idle = 0;
      scheduler.step(order, world.isHeld);
      if (order.chance(0.2)) time.pass(order.int(50));
      return;
    }
    this.#idle += 1;
    // Ready work may need a few more rounds.
    if (this.#idle < 4 && ready === 0) return;
    if (ready === 0) this.#assertNothingLost();
    if (ready === 0 && faults.stopped && this.#people.decideLast(this.#launcher)) this.#idle = 0;
    else if (time.waits(3_600_000)) time.fire();
  }

  #act(): void {
    const first = this.#first;
    if (first?.engine !== undefined && first.state === 'alive' && first.runs.size === 0 && this.world.people.chance(0.5))
      this.#people.launch(first);
    else this.#people.act(this.#launcher);
  }

  /** Starts processes in the place of those that died, and has the launcher take up what others left. */
  #replaceLost(): boolean {
    const { world } = this;
    const { order, faults } = world;
    const workers = world.processes.filter(({ kind, state }) => kind === 'worker' && state === 'alive');
    if (workers.length < this.#workers && (faults.stopped || order.chance(0.05))) {
      this.#boot(new SimProcess(world, 'worker'));
      return true;
    }
    if (this.#launcher.state === 'dead') {
      this.#launcher = new SimProcess(world, 'launcher');
      this.#boot(this.#launcher);
      return true;
    }
    const left = this.#leftRun();
    if (left === undefined || !(faults.stopped || order.chance(0.05))) return false;
    this.#people.resume(this.#launcher, left);
    return true;
  }

  /** A run that the launcher does not follow and could. */
  #leftRun(): RunId | undefined {
    const { engine, runs, resuming } = this.#launcher;
    if (engine === undefined || (this.#first?.state === 'alive' && !this.world.faults.stopped)) return undefined;
    const open = this.world.journal.runs({ isOpen: true }) as readonly { readonly runId: RunId; readonly status: string }[];
    const isOfFirst = (runId: RunId): boolean => this.world.launcherOf(runId)?.kind === 'first';
    const launching = this.#people.acts.some(
      ({ kind, outcome, by }) => kind === 'launch' && outcome === 'open' && by === this.#launcher,
    );
    const isMine = (runId: RunId, status: string): boolean => this.#takesUp || status !== 'running' || isOfFirst(runId);
    return open.find(({ runId, status }) => !runs.has(runId) && !resuming.has(runId) && !launching && isMine(runId, status))?.runId;
  }

  /** Injects faults that are not part of any answer. */
  #mischief(): boolean {
    const { world } = this;
    const { order, faults, service, scheduler } = world;
    const workers = world.processes.filter(({ kind, state }) => kind === 'worker' && state === 'alive');
    const [worker] = workers.length === 0 ? [] : [order.pick(workers)];
    const first = this.#first;
    if (worker === undefined) return false;
    if (worker.isPaused && order.chance(0.1)) worker.isPaused = false;
    else if (faults.strikes('worker dies', 0.01) && world.spendDeath()) world.kill(worker);
    else if (!worker.isPaused && faults.strikes('worker pauses', 0.02)) {
      worker.isPaused = true;
      scheduler.add(0, 'gives up', () => service.giveUp(worker));
    } else if (faults.strikes('worker cut off', 0.01)) service.giveUp(worker);
    else if (faults.strikes('service restarts', 0.005)) service.restart();
    else if (workers.length > 1 && worker.engine !== undefined && !worker.isPaused && faults.strikes('worker drains', 0.005))
      void worker.leave();
    else if (faults.strikes('launcher dies', 0.005) && world.spendDeath()) world.kill(this.#launcher);
    else if (first?.state === 'alive' && first.runs.size > 0 && faults.strikes('first process dies', 0.05)) world.kill(first);
    else if (first?.state === 'alive' && first.leases.size > 0 && faults.strikes('first process goes on', 0.05))
      this.#disown(first);
    else return false;
    return true;
  }

  /** Takes an ordinary process for dead although it goes on. */
  #disown(first: SimProcess): void {
    this.world.freeLeases(first);
    this.#first = undefined;
  }

  #endStorm(): void {
    const { world } = this;
    world.faults.stopped = true;
    for (const process of world.processes) process.isPaused = false;
    for (const process of world.processes) if (process.kind === 'first' && process.state === 'alive') world.kill(process);
  }

  #boot(process: SimProcess): void {
    this.#booting.push(process.start());
  }

  /** Throws when a run is at work, and has been for a while, with nothing on its way to it: only a look at stalled runs would go on with it. */
  #assertNothingLost(): void {
    const { world } = this;
    const now = world.time.clockOf(0).monotonic();
    const runs = world.journal.runs({ isOpen: true }) as readonly { readonly runId: RunId; readonly status: string }[];
    for (const { runId, status } of runs) {
      const isLaunched = this.#people.acts.some(
        (act) => act.kind === 'launch' && act.runId === runId && act.by.kind === 'launcher',
      );
      if (status !== 'running' || !isLaunched || world.service.isBusyWith(runId)) {
        this.#quietSince.delete(runId);
        continue;
      }
      const since = this.#quietSince.get(runId) ?? now;
      this.#quietSince.set(runId, since);
      if (now - since > mostQuietMs) throw world.violated(`I6: ${runId} is at work, and nothing is on its way to it`);
    }
  }

  #isAtRest(): boolean {
    const { world } = this;
    const open = world.journal.runs({ isOpen: true }) as readonly unknown[];
    const isWaited = this.#people.acts.some(
      ({ outcome, by, kind }) => outcome === 'open' && by.state === 'alive' && kind !== 'cancel',
    );
    return open.length === 0 && !isWaited && world.scheduler.size === 0 && this.#idle > 3;
  }

  #whatWaits(): string {
    const { world } = this;
    const runs = (world.journal.runs() as readonly { readonly runId: string; readonly status: string }[])
      .map(({ runId, status }) => `${runId} ${status}`)
      .join(', ');
    const failures = world.processes.flatMap(({ id, failure, failures: own }) =>
      [failure, own.at(-1)].flatMap((each) => (each === undefined ? [] : [`process ${id}: ${String(each)}`])),
    );
    const open = this.#people.acts
      .filter(({ outcome, by }) => outcome === 'open' && by.state === 'alive')
      .map(({ kind, about, runId, by }) => `${kind} ${about} ${runId} by ${by.kind} ${by.id}`)
      .join(', ');
    return `${runs}; acts without an answer: ${open || 'none'}; waiting: ${world.scheduler.labels.join(', ') || 'nothing'}; ${failures.join('; ').slice(0, 600)}`;
  }
}

/** Lets everything that is ready run, in that many rounds. */
async function settle(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
