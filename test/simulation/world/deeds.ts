import type { Run } from '../../../src/index.ts';
import type { Host } from '../process/host.ts';
import type { World } from './world.ts';

/** Runs one engine has at most here. */
const mostRuns = 3;

/** What people do with whole runs: they fork one, also one that is over, and launch another. */
export class Deeds {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Does one of them, unless there are enough runs, or the process is busy with its runs already. */
  act(host: Host, run: Run): void {
    const { deeds, disk, cast } = this.#world;
    if (host.isTakingUp || disk.runIds.length >= mostRuns || cast.isLong) return;
    if (deeds.chance(0.3)) {
      this.#world.reached('second run');
      void host.launch();
      return;
    }
    const at = deeds.chance(0.5) ? { at: deeds.int(run.state.seq + 1) } : {};
    const message = deeds.chance(0.3) ? { message: `Go on. ${this.#world.mark('item')}` } : {};
    void host.fork(run.id, { ...at, ...message });
  }
}
