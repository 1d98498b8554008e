import type { RunId } from '../../../src/core/ids.ts';
import type { Engine, Run } from '../../../src/index.ts';
import { programOf } from './module-graphs.ts';
import { createSimModel } from '../team/sim-model.ts';
import type { World } from '../world/world.ts';

/** One process: an engine, its live run, and whether it is still there. */
export class Host {
  readonly id: number;
  readonly #world: World;
  readonly abort = new AbortController();
  state: 'alive' | 'stale' | 'dead' = 'alive';
  /** It is launching or taking up its run. */
  isTakingUp = true;
  engine: Engine | undefined;
  run: Run | undefined;
  /** Something kept it from going on, if only for a while. */
  hasFailed = false;
  /** Why it cannot go on: the run halted, or could not be taken up. */
  failure: unknown;
  /** Resolves when its program has read its files: until then nothing can happen to it. */
  booted: Promise<unknown> = Promise.resolve();

  constructor(world: World, id: number) {
    this.#world = world;
    this.id = id;
  }

  /** Starts the process: an engine of its own, and the run launched or taken up. */
  async start(launch: { readonly profile: string } | { readonly runId: RunId }): Promise<void> {
    try {
      if (this.engine === undefined) {
        const opening = this.#open();
        this.booted = opening.catch(() => undefined);
        this.engine = await opening;
      }
      await this.take(launch);
    } catch (error) {
      this.fail(error);
    } finally {
      this.isTakingUp = false;
    }
  }

  /** Launches or resumes a run in this process's engine. */
  async take(launch: { readonly profile: string } | { readonly runId: RunId }): Promise<void> {
    const { engine } = this;
    if (engine === undefined) return;
    this.isTakingUp = true;
    this.failure = undefined;
    const options = { context: { world: this.#world, host: this }, signal: this.abort.signal };
    const run =
      'profile' in launch
        ? await engine.launch(
            { profile: launch.profile, input: `Begin. ${this.#world.mark('item')}` },
            { ...options, limits: { turns: 14 } },
          )
        : await engine.resume(launch.runId, options);
    this.run = run;
    this.isTakingUp = false;
    this.#watch(run);
  }

  /** Notes why it cannot go on. Nobody else writes or holds the run as long as this process is the one at work. */
  fail(error: unknown): void {
    const { code = '' } = error as { readonly code?: string };
    if (this.state === 'alive' && (code === 'STORE_CONFLICT' || code === 'RUN_LOCKED'))
      this.#world.violated(`I8: the only writer is refused: ${String(error)}`);
    this.failure = error;
    this.hasFailed = true;
  }

  #watch(run: Run): void {
    const { faults } = this.#world;
    run.result.catch((error: unknown) => {
      if (this.run === run) this.fail(error);
    });
    run.subscribe({
      onEvents: () => {
        if (faults.strikes('subscriber throws', 0.1)) throw new Error('a subscriber that throws');
      },
      onDelta: () => undefined,
    });
  }

  async #open(): Promise<Engine> {
    const world = this.#world;
    const { prepareEngine, countingIds, simTools, simIngestors } = programOf(this.id);
    const ids = countingIds();
    const own = <Id extends string>(id: Id): Id => `p${this.id}_${id}` as Id;
    const models = { m: createSimModel(world, this) };
    const { open } = await prepareEngine({
      profiles: { files: world.cast.files },
      models,
      tools: simTools(),
      ingestors: simIngestors(),
      team: { maxParallel: 2 },
      env: {},
    });
    return await open({
      models,
      store: world.disk.journalOf(this),
      clock: world.time.clockOf(this.id),
      ids: { runId: () => own(ids.runId()), itemId: () => own(ids.itemId()) },
      random: () => 0.5,
      graceMs: 50,
    });
  }
}
