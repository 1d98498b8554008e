import type { Clock } from '../../core/clock.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { ModelFailure } from './model-failure.ts';
import { waitFor } from './retry-wait.ts';

// The first wait between two rounds; each further one is twice as long, up to the longest of the config.
const firstWaitMs = 15_000;

/** What waiting for a provider needs. */
export interface OutageTools {
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * The wait of one model call for a provider that is down: how long it has been, when to ask again, when to give up.
 *
 * 1. It counts from the first attempt that found the provider down, and ends with the first answer.
 * 2. It says when it begins and when it is over, so that a run that waits is not taken for one that hangs.
 * 3. It never waits past `retry.outage`, and ends early when the call is cancelled.
 */
export class Outage {
  readonly #request: ModelRequest;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** Monotonic instant of the first failure; undefined while nothing was found down. */
  #since: number | undefined;
  #rounds = 0;
  /** Something that was asked in this round is down. */
  #isDown = false;

  constructor(request: ModelRequest, { clock, random }: OutageTools) {
    this.#request = request;
    this.#clock = clock;
    this.#random = random;
  }

  /** True from the first wait on: the retries are used up, and each round makes one attempt. */
  get isOn(): boolean {
    return this.#rounds > 0;
  }

  /** Takes notice of a failed attempt that began at a monotonic instant. */
  note(failure: ModelFailure, startedAt: number): void {
    if (failure.isOutage !== true) return;
    this.#since ??= startedAt;
    this.#isDown = true;
  }

  /** Waits before the next round; false when there is nothing to wait for, or no time left. */
  async wait(failure: ModelFailure): Promise<boolean> {
    const { config, signal, purpose } = this.#request;
    const limitMs = purpose === 'title' ? 0 : (config.retry.outageMs ?? 0);
    if (!this.#isDown || this.#since === undefined || limitMs <= 0 || signal.aborted) return false;
    this.#isDown = false;
    const waitMs = this.#nextWait(failure, config.retry.maxWaitMs);
    if (this.#clock.monotonic() + waitMs >= this.#since + limitMs) return false;
    if (this.#rounds === 0) this.#tell('began', beginning(failure, waitMs, limitMs));
    this.#rounds += 1;
    await waitFor(waitMs, this.#clock, signal);
    return true;
  }

  /** The call was answered. */
  end(): void {
    if (this.#rounds > 0 && this.#since !== undefined)
      this.#tell('over', `The provider answers again after ${seconds(this.#clock.monotonic() - this.#since)}.`);
    this.#since = undefined;
    this.#rounds = 0;
  }

  /** The failure with which the call is given up, with how long was waited. */
  describe(failure: ModelFailure): ModelFailure {
    if (this.#rounds === 0 || this.#since === undefined) return failure;
    const waited = seconds(this.#clock.monotonic() - this.#since);
    return { ...failure, message: `${failure.message} The provider was down for ${waited} (retry.outage of the LLM config).` };
  }

  /** A server's own word counts as far as the longest wait; the spread keeps callers from coming back at once. */
  #nextWait({ retryAfterMs = 0 }: ModelFailure, maxWaitMs: number): number {
    const grown = Math.min(Math.max(maxWaitMs, 1), firstWaitMs * 2 ** this.#rounds);
    return Math.round(Math.max(Math.min(retryAfterMs, maxWaitMs), grown * (0.5 + this.#random() / 2)));
  }

  #tell(kind: 'began' | 'over', message: string): void {
    this.#request.onOutage?.({ kind, message });
  }
}

function beginning({ message }: ModelFailure, waitMs: number, limitMs: number): string {
  return `${message} The call waits: the provider is asked again in ${seconds(waitMs)}, then at growing intervals, for ${seconds(limitMs)} in all (retry.outage of the LLM config).`;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
