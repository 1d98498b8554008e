import type { Clock } from '../../../src/core/clock.ts';
import type { Lease } from '../../../src/core/events/journal.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { prepareEngine } from '../../../src/engine/create-engine.ts';
import type { Engine, Run } from '../../../src/index.ts';
import { countingIds } from '../../../src/testing/index.ts';
import { clusterModel, clusterProfiles, clusterTools } from './cluster-team.ts';
import type { ClusterWorld } from './cluster-world.ts';
import { processJournal } from './process-journal.ts';

/** One process: a worker; the one that launches and steers; or the ordinary one that had a run first. */
export class SimProcess {
  readonly id: number;
  readonly kind: 'worker' | 'launcher' | 'first';
  readonly clock: Clock;
  readonly leases = new Set<Lease>();
  readonly runs = new Map<RunId, Run>();
  /** Runs that it is about to take up. */
  readonly resuming = new Set<RunId>();
  /** Errors of what the message service had it do; it tries again. */
  readonly failures: unknown[] = [];
  readonly #world: ClusterWorld;
  state: 'alive' | 'dead' = 'alive';
  /** Stands still: nothing that it waits for happens. */
  isPaused = false;
  engine: Engine | undefined;
  /** Why it could not start. */
  failure: unknown;

  constructor(world: ClusterWorld, kind: SimProcess['kind']) {
    this.#world = world;
    this.kind = kind;
    this.id = world.processes.push(this);
    const clock = world.time.clockOf(this.id);
    // Timers come due while it stands still, and are noticed when it goes on.
    const noticed = (callback: () => void) => (): void => void world.scheduler.add(this.id, 'timer', callback);
    this.clock = {
      ...clock,
      setTimer: (ms, callback) => clock.setTimer(ms, this.isPaused ? noticed(callback) : () => this.#ring(callback)),
    };
  }

  /** Opens its engine; a worker begins to work. */
  async start(): Promise<void> {
    try {
      const engine = await this.#open();
      if (this.kind === 'worker') await engine.work();
      this.engine = engine;
    } catch (thrown) {
      this.failure = thrown;
    }
  }

  /** Leaves in order. */
  async leave(): Promise<void> {
    await this.engine?.close({ graceMs: 1_000 });
    this.#world.kill(this);
  }

  #ring(callback: () => void): void {
    if (this.isPaused) this.#world.scheduler.add(this.id, 'timer', callback);
    else callback();
  }

  async #open(): Promise<Engine> {
    const world = this.#world;
    const ids = countingIds();
    const own = <Id extends string>(id: Id): Id => `p${this.id}_${id}` as Id;
    const models = { m: clusterModel(world, this) };
    const { open } = await prepareEngine({
      profiles: { files: clusterProfiles },
      models,
      tools: clusterTools(world, this),
      team: false,
      env: {},
    });
    return await open({
      models,
      store: processJournal(world, this),
      clock: this.clock,
      ids: { runId: () => own(ids.runId()), itemId: () => own(ids.itemId()), frameSeed: () => 'seed' },
      random: () => 0.5,
      graceMs: 50,
      ...(this.kind === 'first'
        ? {}
        : { runtime: { location: 'simulated', name: 'sim', connect: () => Promise.resolve(world.service.link(this)) } }),
    });
  }
}
