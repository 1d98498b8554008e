import type { CadreEvent } from '../core/events/event.ts';
import type { Journal } from '../core/events/journal.ts';
import type { RunDriver } from './run/run-driver.ts';

const pageSize = 500;

/**
 * Yields a run's events from any position: those in the journal, then live ones. The reader holds only its position, so a slow reader costs
 * the run nothing, and no event is missed or repeated.
 */
export async function* eventsOf(
  actor: RunDriver,
  journal: Journal,
  options: { readonly after?: number; readonly signal?: AbortSignal },
): AsyncGenerator<CadreEvent> {
  let after = options.after ?? 0;
  const news = new News(actor, options.signal);
  try {
    for (;;) {
      const seen = news.count;
      const page = await journal.read(actor.state.meta.runId, { after, limit: pageSize });
      for (const event of page) {
        yield event;
        after = event.seq;
        if (options.signal?.aborted === true) return;
      }
      if (page.length === pageSize) continue;
      if (actor.state.outcome !== undefined && after >= actor.state.seq) return;
      if (news.halted !== undefined) throw news.halted;
      await news.since(seen);
      if (options.signal?.aborted === true) return;
    }
  } finally {
    news.stop();
  }
}

/** Tracks whether events were published since a reader last looked. */
class News {
  count = 0;
  halted: Error | undefined;
  readonly stop: () => void;
  #wake: (() => void) | undefined;

  constructor(actor: RunDriver, signal: AbortSignal | undefined) {
    const wake = (): void => {
      this.count++;
      this.#wake?.();
    };
    const unsubscribe = actor.subscribers.add({
      onEvents: wake,
      onHalt: (error) => {
        this.halted = error;
        wake();
      },
    });
    signal?.addEventListener('abort', wake);
    this.stop = () => {
      unsubscribe();
      signal?.removeEventListener('abort', wake);
    };
  }

  since(seen: number): Promise<void> {
    if (this.count !== seen) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
