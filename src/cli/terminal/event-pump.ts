import type { CadreEvent } from '../../core/events/event.ts';
import type { Run } from '../../engine/run.ts';

/** Passes a run's events after a sequence number to `onEvent`; `caughtUp` waits until all were delivered. */
export class EventPump {
  readonly #run: Run;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<{ readonly seq: number; readonly resolve: () => void }>();
  readonly #done: Promise<void>;
  #seen: number;

  constructor(run: Run, after: number, onEvent: (event: CadreEvent) => void) {
    this.#run = run;
    this.#seen = after;
    this.#done = this.#pump(onEvent);
    // `caughtUp` reports failures; closing the run is not one.
    this.#done.catch(() => undefined);
  }

  /** Resolves when every event committed so far was delivered. */
  async caughtUp(): Promise<void> {
    const { seq } = this.#run.state;
    if (this.#seen >= seq) return;
    await Promise.race([this.#done, new Promise<void>((resolve) => this.#waiting.add({ seq, resolve }))]);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #pump(onEvent: (event: CadreEvent) => void): Promise<void> {
    for await (const event of this.#run.events({ after: this.#seen, signal: this.#stop.signal })) {
      onEvent(event);
      this.#seen = event.seq;
      for (const waiter of this.#waiting) {
        if (this.#seen < waiter.seq) continue;
        this.#waiting.delete(waiter);
        waiter.resolve();
      }
    }
  }
}
