import type { RunId } from '../../../src/core/ids.ts';
import type { Engine, Journal, Run } from '../../../src/index.ts';
import type { DecisionWatch } from '../../../src/engine/run/decide-batch.ts';
import type { ForkOptions } from '../../../src/engine/launch-options.ts';
import { createSimModel } from '../team/sim-model.ts';
import type { World } from '../world/world.ts';
import { programOf } from './module-graphs.ts';

/** First task of a process: a new run, or the unfinished runs of the journal. */
export type Errand = { readonly launch: true } | { readonly takeUp: readonly RunId[] };

/** One process: an engine, its live runs, and whether it is still there. */
export class Host {
  readonly id: number;
  readonly #world: World;
  readonly abort = new AbortController();
  state: 'alive' | 'stale' | 'dead' = 'alive';
  engine: Engine | undefined;
  /** Handles on the runs it has, those that are over included. */
  readonly runs = new Map<RunId, Run>();
  /** Runs that cannot continue here, and why: they halted, or could not be recovered. */
  readonly failed = new Map<RunId, unknown>();
  /** Error of the process itself, or of the launch of its first run. */
  failure: unknown;
  /** Something kept it from going on, if only for a while. */
  hasFailed = false;
  /** Resolves when its program has read its files: until then nothing can happen to it. */
  booted: Promise<unknown> = Promise.resolve();
  #store: Journal | undefined;
  #taking = 0;

  constructor(world: World, id: number) {
    this.#world = world;
    this.id = id;
    world.hosts.push(this);
  }

  /** It is launching, forking or taking up a run. */
  get isTakingUp(): boolean {
    return this.#taking > 0;
  }

  /** Starts the process, unless it runs already, and does its errand; failures are noted. */
  async start(errand: Errand): Promise<void> {
    this.failure = undefined;
    await this.#take(async () => {
      if (this.engine === undefined) {
        const opening = this.#open();
        this.booted = opening.catch(() => undefined);
        this.engine = await opening;
      }
      if ('launch' in errand) await this.#launch(this.engine);
      else await this.#takeUp(this.engine, errand.takeUp);
    });
  }

  /** Launches one more run in this process's engine. */
  async launch(): Promise<void> {
    const { engine } = this;
    if (engine !== undefined) await this.#take(() => this.#launch(engine));
  }

  /** Forks a run in this process's engine. */
  async fork(runId: RunId, options: Pick<ForkOptions, 'at' | 'message'>): Promise<void> {
    const { engine } = this;
    if (engine === undefined) return;
    await this.#take(async () => this.#watch(await engine.fork(runId, { ...options, ...this.#links() })));
  }

  /** Recovers a run that halted, or whose recovery failed before. */
  async again(runId: RunId): Promise<void> {
    const { engine } = this;
    this.failed.delete(runId);
    if (engine !== undefined) await this.#take(() => this.#takeUp(engine, [runId]));
  }

  /** Closes its engine, and with it its store. */
  async close(): Promise<void> {
    const { engine } = this;
    try {
      await engine?.close();
    } finally {
      this.engine = undefined;
      if (this.state !== 'dead') await this.#store?.close();
    }
  }

  /** Notes why it, or one of its runs, cannot go on. No other process writes or holds a run as long as this one is at work. */
  fail(error: unknown, runId?: RunId): void {
    const { code = '' } = error as { readonly code?: string };
    if (this.state === 'alive' && (code === 'STORE_CONFLICT' || code === 'RUN_LOCKED'))
      this.#world.violated(`I8: the only writer is refused: ${String(error)}`);
    if (runId === undefined) this.failure = error;
    else this.failed.set(runId, error);
    this.hasFailed = true;
  }

  async #take(work: () => Promise<void>): Promise<void> {
    this.#taking += 1;
    try {
      await work();
    } catch (error) {
      this.fail(error);
    } finally {
      this.#taking -= 1;
    }
  }

  /** Returns the context by which tools find this world and process, and the signal that cancels its runs. */
  #links(): { readonly context: Readonly<Record<string, unknown>>; readonly signal: AbortSignal } {
    return { context: { world: this.#world, host: this }, signal: this.abort.signal };
  }

  async #launch(engine: Engine): Promise<void> {
    const { cast } = this.#world;
    const input = `Begin. ${this.#world.mark('item')}`;
    this.#watch(await engine.launch({ profile: cast.root, input }, { ...this.#links(), limits: cast.limits }));
  }

  /** Recovers runs: some processes find unfinished runs themselves, others get a list; finished runs are only read. */
  async #takeUp(engine: Engine, runIds: readonly RunId[]): Promise<void> {
    const world = this.#world;
    const left = new Set(runIds);
    const isOther = world.versionOf(this.id) > 0;
    const options = { ...this.#links(), profiles: isOther && world.order.chance(0.2) ? 'current' : 'recorded' } as const;
    if (isOther && options.profiles === 'recorded') world.reached('profiles from before');
    if (world.order.chance(0.5)) {
      world.reached('recover() takes up what was left');
      for (const { runId, run, error } of await engine.recover(options)) {
        left.delete(runId);
        if (run === undefined) this.fail(error, runId);
        else this.#watch(run);
      }
    }
    for (const runId of left)
      await engine.resume(runId, options).then(
        (run) => this.#watch(run),
        (error: unknown) => this.fail(error, runId),
      );
  }

  #watch(run: Run): void {
    const { faults } = this.#world;
    this.runs.set(run.id, run);
    this.#world.acknowledgedRuns.add(run.id);
    run.result.catch((error: unknown) => {
      if (this.runs.get(run.id) === run) this.fail(error, run.id);
    });
    run.subscribe({
      onEvents: () => {
        if (faults.strikes('subscriber throws', 0.1)) throw new Error('a subscriber that throws');
      },
      onDelta: () => undefined,
    });
  }

  /** Opens its engine as a program does that was just started: nothing is there but the files and the disk. */
  async #open(): Promise<Engine> {
    const world = this.#world;
    const { prepareEngine, countingIds, isToolReturn, simTools, simIngestors, simObservers } = programOf(this.id);
    const ids = countingIds();
    const own = <Id extends string>(id: Id): Id => `p${this.id}_${id}` as Id;
    const models = { m: createSimModel(world, this) };
    const { open } = await prepareEngine({
      profiles: { files: world.filesOf(this.id) },
      models,
      tools: simTools(),
      ingestors: simIngestors(),
      observers: simObservers(),
      team: { maxParallel: 2 },
      env: {},
    });
    this.#store = world.disk.journalOf(this);
    return await open({
      models,
      store: this.#store,
      clock: world.time.clockOf(this.id),
      ids: { runId: () => own(ids.runId()), itemId: () => own(ids.itemId()), frameSeed: () => 'seed' },
      random: () => 0.5,
      graceMs: 50,
      snapshotEvery: 5 + (world.options.seed % 60),
      ...(world.options.skipsDecisions === true ? {} : { watch: this.#watched(world.decisions.watch(isToolReturn)) }),
    });
  }

  /** Ignores decisions after the death of the process: no one sees them, and they may rest on commits that a power cut took. */
  #watched(watch: DecisionWatch): DecisionWatch {
    return (tx, batch, gate) => (this.state === 'dead' ? () => undefined : watch(tx, batch, gate));
  }
}
