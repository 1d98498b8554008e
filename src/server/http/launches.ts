import type { RunId } from '../../core/ids.ts';
import { isKnown } from '../../engine/free-run-id.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LaunchOptions, LaunchRequest } from '../../engine/engine-parts.ts';

/** Launches runs, each id once: whoever asks again for one that is there, or is being launched, gets the same. */
export class Launches {
  readonly #engine: Engine;
  readonly #launching = new Map<string, Promise<unknown>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The id of the run, and whether it was begun for this request. */
  async launch(request: LaunchRequest, options: LaunchOptions): Promise<{ readonly runId: string; readonly isNew: boolean }> {
    const { runId } = request;
    if (runId === undefined) return { runId: (await this.#engine.launch(request, options)).id, isNew: true };
    const launching = this.#launching.get(runId);
    if (launching !== undefined) {
      await launching;
      return { runId, isNew: false };
    }
    const begun = this.#begin(runId, request, options);
    this.#launching.set(runId, begun);
    try {
      return { runId, isNew: await begun };
    } finally {
      this.#launching.delete(runId);
    }
  }

  async #begin(runId: string, request: LaunchRequest, options: LaunchOptions): Promise<boolean> {
    if (await isKnown(this.#engine.records, runId as RunId)) return false;
    await this.#engine.launch(request, options);
    return true;
  }
}
