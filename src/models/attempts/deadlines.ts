import type { Clock } from '../../core/clock.ts';
import type { ModelDeadlines } from '../../core/model/llm-config.ts';
import type { ConnectionListener } from '../adapter/connection-watch.ts';

/** Wait that a deadline limits. */
export type DeadlinePhase = keyof ModelDeadlines;

// Longest delay of a timer; later deadlines take several timers.
const longestTimer = 2 ** 31 - 1;

/** Dependencies and settings of a deadline watch. */
export interface DeadlineWatchOptions {
  readonly clock: Clock;
  readonly deadlines: ModelDeadlines;
  /** Monotonic instant at which the attempt started. */
  readonly startedAt: number;
  /** Monotonic instant at which the whole call must be over. */
  readonly totalDue: number;
  /** Called once, with the wait that took too long. */
  readonly onExpire: (phase: DeadlinePhase) => void;
}

/**
 * Watches the four deadlines of one attempt. First token counts from its start, connect from the request for a connection until it
 * is established, between chunks from the last chunk, total from the start of the call. Response headers end no wait: servers that
 * load a model or queue requests send them with the first token.
 *
 * One timer serves all: a chunk only notes the time, and a timer that fires early is set again for the remainder. It is first set
 * for the shortest wait, so that moving from one wait to the next seldom replaces it.
 */
export class DeadlineWatch implements ConnectionListener {
  /** Monotonic instant of the last chunk, content or heartbeat; the reader of the stream sets it. */
  lastChunkAt: number;
  readonly #options: DeadlineWatchOptions;
  #phase: Exclude<DeadlinePhase, 'total'> = 'firstToken';
  #connectingSince = 0;
  #isStopped = false;
  #armedFor: number;
  #cancelTimer: (() => void) | undefined;

  constructor(options: DeadlineWatchOptions) {
    const { clock, startedAt, totalDue, deadlines } = options;
    this.#options = options;
    this.lastChunkAt = startedAt;
    // The earliest instant at which any deadline could be reached.
    const shortest = Math.min(deadlines.connect, deadlines.firstToken, deadlines.betweenChunks, totalDue - startedAt, longestTimer);
    this.#armedFor = startedAt + shortest;
    this.#cancelTimer = clock.setTimer(Math.max(0, shortest), this.#onTimer);
  }

  /** Starts the wait for a connection. */
  connecting(): void {
    if (this.#phase !== 'firstToken' || this.#isStopped) return;
    this.#connectingSince = this.#options.clock.monotonic();
    this.#phase = 'connect';
    if (this.#due() < this.#armedFor) this.#arm(this.#connectingSince);
  }

  /** Ends the wait for a connection; the wait for the first token continues. */
  connected(): void {
    if (this.#phase !== 'connect' || this.#isStopped) return;
    this.#phase = 'firstToken';
    if (this.#due() < this.#armedFor) this.#arm(this.#options.clock.monotonic());
  }

  /** Starts the waits between chunks, with the first chunk of content. */
  begin(): void {
    const { deadlines, totalDue } = this.#options;
    this.#phase = 'betweenChunks';
    if (this.lastChunkAt + deadlines.betweenChunks < this.#armedFor || totalDue < this.#armedFor) this.#arm(this.lastChunkAt);
  }

  /** Ends the watch; nothing expires afterwards. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #due(): number {
    const { deadlines, startedAt, totalDue } = this.#options;
    switch (this.#phase) {
      case 'connect':
        // Connecting is part of the wait for the first token.
        return Math.min(this.#connectingSince + deadlines.connect, startedAt + deadlines.firstToken, totalDue);
      case 'firstToken':
        return Math.min(startedAt + deadlines.firstToken, totalDue);
      case 'betweenChunks':
        return Math.min(this.lastChunkAt + deadlines.betweenChunks, totalDue);
    }
  }

  #arm(now: number): void {
    this.#cancelTimer?.();
    this.#armedFor = Math.min(this.#due(), now + longestTimer);
    this.#cancelTimer = this.#options.clock.setTimer(Math.max(0, this.#armedFor - now), this.#onTimer);
  }

  readonly #onTimer = (): void => {
    this.#cancelTimer = undefined;
    const now = this.#options.clock.monotonic();
    const due = this.#due();
    if (now < due) this.#arm(now);
    else this.#options.onExpire(due === this.#options.totalDue ? 'total' : this.#phase);
  };
}
