import type { RunId } from '../../core/ids.ts';
import type { Connections } from './connections.ts';

/** Milliseconds between two notifications of one process. */
const pauseMs = 50;
/** Most bytes of a notification's text; the server's limit is 8,000. */
const longestText = 7_000;

/** Services of the news. */
interface NewsParts {
  readonly connections: () => Promise<Connections>;
  readonly channel: string;
  /** Begins to receive notifications. */
  readonly listen: () => void;
}

/**
 * News of runs between processes, by LISTEN and NOTIFY: which runs have changed, not how.
 *
 * 1. Notifications are sent apart from the commits, at most one in `pauseMs`: NOTIFY makes the commits of a whole server wait for each other.
 * 2. They may get lost; readers look at the journal from time to time anyway.
 */
export class RunNews {
  readonly #parts: NewsParts;
  readonly #watchers = new Map<RunId | undefined, Set<() => void>>();
  #changed = new Set<RunId>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSending = false;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  /** Calls back when a run, or any run, may have changed. Returns what ends it. */
  watch(runId: RunId | undefined, wake: () => void): () => void {
    const watchers = this.#watchers.get(runId) ?? new Set();
    this.#watchers.set(runId, watchers.add(wake));
    this.#parts.listen();
    return () => {
      watchers.delete(wake);
      if (watchers.size === 0) this.#watchers.delete(runId);
    };
  }

  /** Wakes the watchers of the runs that a notification names; all of them when notifications may have been missed. */
  receive(text: string | undefined): void {
    const named = text === undefined || text === '' ? [...this.#watchers.keys()] : [...(text.split(' ') as RunId[]), undefined];
    for (const runId of named) for (const wake of this.#watchers.get(runId) ?? []) wake();
  }

  /** Tells other processes that a run has changed. */
  tell(runId: RunId): void {
    this.#changed.add(runId);
    if (this.#timer === undefined && !this.#isSending) void this.#send();
  }

  /** Sends what is still to be told. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#watchers.clear();
    await this.#send();
  }

  async #send(): Promise<void> {
    this.#timer = undefined;
    if (this.#changed.size === 0) return;
    const named = [...this.#changed].join(' ');
    this.#changed = new Set();
    this.#isSending = true;
    try {
      const { query } = await this.#parts.connections();
      await query(
        `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
        [this.#parts.channel, named.length > longestText ? '' : named],
        'cadre-notify',
      );
    } catch {
      // Readers find the change when they look next.
    } finally {
      this.#isSending = false;
      this.#timer = setTimeout(() => void this.#send(), pauseMs).unref();
    }
  }
}
