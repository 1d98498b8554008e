import { CadreError } from '../../../core/error.ts';
import type { RunId } from '../../../core/ids.ts';
import { isKnown } from '../../../engine/launch/free-run-id.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LaunchOptions, LaunchRequest } from '../../../engine/launch-options.ts';

/** A launch in progress. */
interface Launching {
  readonly isNew: Promise<boolean>;
  readonly requestHash: string | undefined;
}

/** Launches runs, each id once: the same request again gets the same run, another request with its id fails with REQUEST_CONFLICT. */
export class Launches {
  readonly #engine: Engine;
  readonly #launching = new Map<string, Launching>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the id of the run, and whether this request launched it. */
  async launch(request: LaunchRequest, options: LaunchOptions): Promise<{ readonly runId: string; readonly isNew: boolean }> {
    const { runId, requestHash } = request;
    if (runId === undefined) return { runId: (await this.#engine.launch(request, options)).id, isNew: true };
    const launching = this.#launching.get(runId);
    if (launching !== undefined) {
      assertSame(runId, launching.requestHash, requestHash);
      await launching.isNew;
      return { runId, isNew: false };
    }
    const isNew = this.#begin(runId, request, options);
    this.#launching.set(runId, { isNew, requestHash });
    try {
      return { runId, isNew: await isNew };
    } finally {
      this.#launching.delete(runId);
    }
  }

  async #begin(runId: string, request: LaunchRequest, options: LaunchOptions): Promise<boolean> {
    if (await isKnown(this.#engine.records, runId as RunId)) {
      const [start] = await this.#engine.records.read(runId as RunId, { limit: 1 });
      assertSame(runId, start?.type === 'run.start' ? start.requestHash : undefined, request.requestHash);
      return false;
    }
    await this.#engine.launch(request, options);
    return true;
  }
}

/** Runs of earlier versions have no request hash. */
function assertSame(runId: string, before: string | undefined, now: string | undefined): void {
  if (before === undefined || now === undefined || before === now) return;
  throw new CadreError(
    'REQUEST_CONFLICT',
    `this Idempotency-Key was used for another request, which launched run ${runId}; nothing was done. Send the same body to repeat that request, or take a new key`,
    { details: { runId } },
  );
}
