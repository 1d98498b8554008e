import { CadreError } from '../../../core/error.ts';
import type { RunId } from '../../../core/ids.ts';
import type { ProfileFile, ProfileSet } from '../../../core/profile/profile.ts';
import type { RunSummary } from '../../../core/events/journal.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { EvalStop } from './eval-stop.ts';
import type { LaunchOptions, LaunchRequest } from '../../../engine/launch-options.ts';
import type { Run } from '../../../engine/run.ts';

/** A run of the journal. */
export interface FoundRun {
  readonly summary: RunSummary;
  readonly attempt: number;
}

/** Attempts of one planned run in the journal. */
export interface Attempts {
  /** The newest one that is not deleted. */
  readonly latest: FoundRun | undefined;
  /** Number of the next one. */
  readonly next: number;
}

const mostAttempts = 1_000;

/**
 * Engine of an eval, which launches runs with different profiles.
 *
 * Owns: which profiles a launch gets. Does not own: what is launched.
 */
export class EvalSession {
  readonly engine: Engine;
  readonly #stop: Pick<EvalStop, 'why'>;
  #current: ProfileSet;
  #launching: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, stop: Pick<EvalStop, 'why'>) {
    this.engine = engine;
    this.#stop = stop;
    this.#current = engine.profiles;
  }

  /** Loads the profiles of a folder. */
  async load(folder: string): Promise<ProfileSet> {
    this.#current = await this.engine.reload(folder);
    return this.#current;
  }

  /** Launches a run with a set of profiles. Launches wait for each other, since the engine has one set at a time. Fails with ENGINE_CLOSED when the eval stopped. */
  async launch(profiles: ProfileSet, request: LaunchRequest, options: LaunchOptions): Promise<Run> {
    return await this.#inTurn(async () => {
      this.#checkGoing();
      await this.#use(profiles);
      return await this.engine.launch(request, options);
    });
  }

  /** Goes on with a run of an earlier process. Fails with ENGINE_CLOSED when the eval stopped: its next step would cost. */
  async resume(runId: RunId): Promise<Run> {
    this.#checkGoing();
    return await this.engine.resume(runId);
  }

  /** Finds the attempts of a run by their ids. */
  async attempts(idOf: (attempt: number) => RunId): Promise<Attempts> {
    let latest: FoundRun | undefined;
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const [summary] = await this.engine.runs({ runId: idOf(attempt) });
      if (summary === undefined) return { latest, next: attempt };
      if (summary.deletedAt === undefined) latest = { summary, attempt };
    }
    throw new CadreError('OPTION_INVALID', `run ${idOf(1)} was begun ${mostAttempts} times; begin a new round with --again`);
  }

  /** Loads profiles from texts. */
  async loadFiles(files: readonly ProfileFile[]): Promise<ProfileSet> {
    this.#current = await this.engine.reload({ files });
    return this.#current;
  }

  #checkGoing(): void {
    if (this.#stop.why !== undefined) throw new CadreError('ENGINE_CLOSED', 'the eval stopped; no run begins any more');
  }

  async #use(profiles: ProfileSet): Promise<void> {
    if (profiles === this.#current) return;
    await this.engine.reload(profiles);
    this.#current = profiles;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#launching.then(work);
    this.#launching = mine.catch(() => undefined);
    return await mine;
  }
}
