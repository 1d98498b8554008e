import type { Clock } from '../../core/clock.ts';

/** Resources that are closing because their agent or run is over; awaited like any effect, at most for the grace period. */
export class PendingCloses {
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

  /** Adds a closing to wait for; ignores undefined. */
  add(closing: Promise<void> | undefined): void {
    if (closing === undefined) return;
    const bounded = atMost(this.#clock, this.#graceMs, closing).then(() => {
      this.#open.delete(bounded);
      this.#onDone();
    });
    this.#open.add(bounded);
  }

  /** Resolves when all added closings are done. */
  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }
}

/** Resolves when the work is done, or after `ms` milliseconds. The work must not reject. */
export async function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let cancelTimer: (() => void) | undefined;
  const time = new Promise<void>((resolve) => {
    cancelTimer = clock.setTimer(ms, resolve);
  });
  await Promise.race([work, time]);
  cancelTimer?.();
}
