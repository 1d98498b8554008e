import type { Clock } from '../../core/clock.ts';
import { CadreError } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { ResumeOptions } from '../launch-options.ts';

/** Milliseconds until the engine tries to resume a halted run, and between tries that fail in the same way. */
const againMs = 30_000;

/** Options of a launch or a resumption that still apply when the run is resumed again. */
export type KeptOptions = Pick<ResumeOptions, 'context' | 'signal' | 'profiles'>;

/**
 * The runs that halted, or could not be resumed, because the store could not be written for a while: another process kept it locked, or the disk was full. Their
 * engine resumes them once it can, as long as it is open; without that they would wait for a person who looks.
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

  /** Takes a run that has halted, and resumes it later when what it halted with may pass. */
  add(runId: RunId, halted: CadreError | undefined, options: KeptOptions): void {
    if (!mayPass(halted) || this.#isClosed) return;
    this.#timers.get(runId)?.();
    const cancel = this.#clock.setTimer(againMs, () => void this.#again(runId, keptOf(options)), { background: true });
    this.#timers.set(runId, cancel);
  }

  /** Resumes none of them any more. */
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
      // Anything else is for a person: the run is in the list of those that were interrupted.
      if (thrown instanceof CadreError) this.add(runId, thrown, options);
    }
  }
}

function keptOf({ context, signal, profiles }: KeptOptions): KeptOptions {
  return { ...(context && { context }), ...(signal && { signal }), ...(profiles && { profiles }) };
}

/** True when a store failed in a way that passes by itself, or once there is space. */
function mayPass(error: CadreError | undefined): boolean {
  return error?.code === 'STORE_FAILED' && error.details['mayPass'] === true;
}
