import type { Clock } from '../../core/clock.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { ModelFailure } from './model-failure.ts';
import { waitFor } from './retry-wait.ts';

// First wait between two rounds; each further one is twice as long, up to the config's longest wait.
const firstWaitMs = 15_000;

/** Dependencies of an `Outage`. */
export interface OutageTools {
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * Wait of one model call for a provider that is down: its duration, the next round, the end.
 *
 * 1. It counts from the first attempt that found the provider down, and ends with the first answer.
 * 2. It reports its beginning and end, so that a waiting run does not look hung.
 * 3. It never waits past `retry.outage`, and ends early when the call is cancelled.
 */
export class Outage {
  readonly #request: ModelRequest;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** Monotonic instant of the first failure; undefined while no provider is down. */
  #since: number | undefined;
  #rounds = 0;
  /** True when an attempt of this round found its provider down. */
  #isDown = false;

  constructor(request: ModelRequest, { clock, random }: OutageTools) {
    this.#request = request;
    this.#clock = clock;
    this.#random = random;
  }

  /** True from the first wait on: retries are used up, and each round makes one attempt. */
  get isOn(): boolean {
    return this.#rounds > 0;
  }

  /** Notes a failed attempt that began at a monotonic instant. */
  note(failure: ModelFailure, startedAt: number): void {
    if (failure.isOutage !== true) return;
    this.#since ??= startedAt;
    this.#isDown = true;
  }

  /** Waits before the next round; false when no provider is down or no time is left. */
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

  /** Ends the outage after an answer. */
  end(): void {
    if (this.#rounds > 0 && this.#since !== undefined)
      this.#tell('over', `The provider answers again after ${seconds(this.#clock.monotonic() - this.#since)}.`);
    this.#since = undefined;
    this.#rounds = 0;
  }

  /** Adds the time waited to the call's final failure. */
  describe(failure: ModelFailure): ModelFailure {
    if (this.#rounds === 0 || this.#since === undefined) return failure;
    const waited = seconds(this.#clock.monotonic() - this.#since);
    return { ...failure, message: `${failure.message} The provider was down for ${waited} (retry.outage of the LLM config).` };
  }

  /** Returns the next wait. The server's request counts up to the longest wait; jitter keeps callers from returning together. */
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
