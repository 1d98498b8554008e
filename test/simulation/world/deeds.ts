import type { Run } from '../../../src/index.ts';
import type { Host } from '../process/host.ts';
import type { World } from './world.ts';

/** Runs one engine has at most here. */
const mostRuns = 3;

/** Actions of people on whole runs: they fork one, finished ones included, and launch another. */
export class Deeds {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Does one of them, unless there are enough runs, or the process is busy with its runs already. */
  act(host: Host, run: Run): void {
    if (this.#world.deeds.chance(0.7)) return this.fork(host, run);
    if (!this.#hasRoom(host)) return;
    this.#world.reached('second run');
    void host.launch();
  }

  /** Forks a run, at any place of its journal. */
  fork(host: Host, run: Run): void {
    const { deeds } = this.#world;
    if (!this.#hasRoom(host)) return;
    const at = deeds.chance(0.5) ? { at: deeds.int(run.state.seq + 1) } : {};
    const message = deeds.chance(0.3) ? { message: `Go on. ${this.#world.mark('item')}` } : {};
    void host.fork(run.id, { ...at, ...message });
  }

  #hasRoom(host: Host): boolean {
    const { disk, cast } = this.#world;
    return !host.isTakingUp && disk.runIds.length < mostRuns && !cast.isLong;
  }
}
