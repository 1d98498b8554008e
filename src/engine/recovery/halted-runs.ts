import type { Clock } from '../../core/clock.ts';
import { CadreError } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { ResumeOptions } from '../launch-options.ts';

/** Milliseconds until the engine tries to resume a halted run, and between tries that fail in the same way. */
const againMs = 30_000;

/** Options of a launch or a resumption that still apply when the run is resumed again. */
export type KeptOptions = Pick<ResumeOptions, 'context' | 'signal' | 'profiles'>;

/**
 * Runs that halted, or could not be resumed, because the store could not be written for a while: another process kept it locked, or the
 * disk was full. While open, the engine resumes them once it can; otherwise they would wait for a person.
 */
export class HaltedRuns {
  readonly #clock: Clock;
  readonly #resume: (runId: RunId, options: KeptOptions) => Promise<unknown>;
  readonly #timers = new Map<RunId, () => void>();
  #isClosed = false;

  constructor(clock: Clock, resume: (runId: RunId, options: KeptOptions) => Promise<unknown>) {
    this.#clock = clock;
    this.#resume = resume;
  }

  /** Adds a halted run, and resumes it later when the cause may pass. */
  add(runId: RunId, halted: CadreError | undefined, options: KeptOptions): void {
    if (!mayPass(halted) || this.#isClosed) return;
    this.#timers.get(runId)?.();
    const cancel = this.#clock.setTimer(againMs, () => void this.#again(runId, keptOf(options)), { background: true });
    this.#timers.set(runId, cancel);
  }

  /** Stops resuming. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  async #again(runId: RunId, options: KeptOptions): Promise<void> {
    this.#timers.delete(runId);
    try {
      await this.#resume(runId, options);
    } catch (thrown) {
      // Other errors need a person: the run is listed as interrupted.
      if (thrown instanceof CadreError) this.add(runId, thrown, options);
    }
  }
}

function keptOf({ context, signal, profiles }: KeptOptions): KeptOptions {
  return { ...(context && { context }), ...(signal && { signal }), ...(profiles && { profiles }) };
}

/** True when a store failed for a temporary reason, or for lack of space. */
function mayPass(error: CadreError | undefined): boolean {
  return error?.code === 'STORE_FAILED' && error.details['mayPass'] === true;
}
