import type { Clock } from '../core/clock.ts';
import type { ModelDeadlines } from '../core/llm-config.ts';

/** The wait a deadline was set for. */
export type DeadlinePhase = keyof ModelDeadlines;

// The longest delay timers take; later deadlines are reached in several hops.
const longestTimer = 2 ** 31 - 1;

/** What a deadline watch needs to know. */
export interface DeadlineWatchOptions {
  readonly clock: Clock;
  readonly deadlines: ModelDeadlines;
  /** Monotonic instant at which the whole call must be over. */
  readonly totalDue: number;
  /** Called once, with the wait that took too long. */
  readonly onExpire: (phase: DeadlinePhase) => void;
}

/**
 * Watches the four deadlines of one attempt: connect and first token count from its start, between chunks from the
 * last chunk, total from the start of the call.
 *
 * One timer serves all: a chunk only notes the time, and a timer that fires early is set again for what is left. It is
 * replaced ahead of its time only when a deadline moves closer.
 */
export class DeadlineWatch {
  readonly #options: DeadlineWatchOptions;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #phase: Exclude<DeadlinePhase, 'total'> = 'connect';
  #lastChunkAt: number;
  #armedFor = Number.POSITIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(options: DeadlineWatchOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#startedAt = this.#clock.monotonic();
    this.#lastChunkAt = this.#startedAt;
    this.#arm(this.#startedAt);
  }

  /** The stream is open: from here on the first token is waited for. */
  connected(): void {
    this.#phase = 'firstToken';
    if (this.#due() < this.#armedFor) this.#arm(this.#clock.monotonic());
  }

  /** A chunk came; `isContent` when it holds a part of the reply, which a heartbeat does not. */
  chunk(isContent: boolean): void {
    this.#lastChunkAt = this.#clock.monotonic();
    if (isContent && this.#phase !== 'betweenChunks') {
      this.#phase = 'betweenChunks';
      if (this.#due() < this.#armedFor) this.#arm(this.#lastChunkAt);
    }
  }

  /** Milliseconds from the start of the attempt to the last chunk. */
  get elapsedAtLastChunk(): number {
    return this.#lastChunkAt - this.#startedAt;
  }

  /** Ends the watch; nothing expires after it. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #due(): number {
    const { deadlines, totalDue } = this.#options;
    const from = this.#phase === 'betweenChunks' ? this.#lastChunkAt : this.#startedAt;
    return Math.min(from + deadlines[this.#phase], totalDue);
  }

  #arm(now: number): void {
    this.#cancelTimer?.();
    this.#armedFor = Math.min(this.#due(), now + longestTimer);
    this.#cancelTimer = this.#clock.setTimer(Math.max(0, this.#armedFor - now), this.#onTimer);
  }

  readonly #onTimer = (): void => {
    this.#cancelTimer = undefined;
    const now = this.#clock.monotonic();
    const due = this.#due();
    if (now < due) this.#arm(now);
    else this.#options.onExpire(due === this.#options.totalDue ? 'total' : this.#phase);
  };
}
