import type { Clock } from '../../core/clock.ts';

/** Resources that are closing because their agent or run is over; awaited like any effect, at most for the grace period. */
export class Closings {
  readonly #open = new Set<Promise<void>>();
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #onDone: () => void;

  constructor(parts: { readonly clock: Clock; readonly graceMs: number; readonly onDone: () => void }) {
    this.#clock = parts.clock;
    this.#graceMs = parts.graceMs;
    this.#onDone = parts.onDone;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Waits for a closing from now on; undefined is nothing to wait for. */
  add(closing: Promise<void> | undefined): void {
    if (closing === undefined) return;
    const bounded = atMost(this.#clock, this.#graceMs, closing).then(() => {
      this.#open.delete(bounded);
      this.#onDone();
    });
    this.#open.add(bounded);
  }

  /** Resolves when nothing that was added is waited for any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }
}

/** Resolves with a promise that does not reject, or after a time at the latest. */
export async function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let cancelTimer: (() => void) | undefined;
  const time = new Promise<void>((resolve) => {
    cancelTimer = clock.setTimer(ms, resolve);
  });
  await Promise.race([work, time]);
  cancelTimer?.();
}
