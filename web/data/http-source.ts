import type { CadreEvent } from '../../src/core/events/event.ts';
import type { RequestCard } from '../../src/inspect/requests/request-card.ts';
import { fromPlainFacts, type PlainProfileFacts } from '../../src/inspect/turn/profile-facts.ts';
import { ApiError, getJson, getText } from './api.ts';
import { watchView } from './in-view.ts';
import type { LiveDelta, LiveProgress, RunSink, RunSource } from './run-source.ts';

/** Milliseconds before the page reconnects to a lost server: at first, and at most. */
const firstWaitMs = 500;
const longestWaitMs = 8_000;
/** Milliseconds between requests of a window without a stream. */
const pollMs = 2_000;
/** Maximum number of hashes per request, to limit the length of the address. */
const hashesPerRequest = 50;

/** Source of a run on a server: past events in one answer, later ones as a stream that resumes after interruptions. */
export function httpSource(runId: string): RunSource {
  const base = `/api/runs/${encodeURIComponent(runId)}`;
  return {
    isServed: true,
    open: (sink) => new RunStream(base, sink).close,
    contents: async (hashes) => {
      const found: Record<string, string | null> = {};
      for (let at = 0; at < hashes.length; at += hashesPerRequest) {
        const query = hashes.slice(at, at + hashesPerRequest).map((hash) => `hash=${encodeURIComponent(hash)}`);
        Object.assign(found, await getJson<Record<string, string | null>>(`${base}/contents?${query.join('&')}`));
      }
      return found;
    },
    cards: async () => await getJson<readonly RequestCard[]>(`${base}/pending`),
    profiles: async () => {
      const plain = await getJson<Record<string, PlainProfileFacts>>(`${base}/profiles`);
      return new Map(Object.entries(plain).map(([name, facts]) => [name, fromPlainFacts(facts)]));
    },
  };
}

/** Event stream of one run. Keeps the last sequence number, so that no event is missed or repeated. Pauses while the window is hidden. */
class RunStream {
  readonly #base: string;
  readonly #sink: RunSink;
  readonly #aborting = new AbortController();
  #after = 0;
  #waitMs = firstWaitMs;
  #stream: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isResting = false;
  readonly #stopWatching: () => void;

  constructor(base: string, sink: RunSink) {
    this.#base = base;
    this.#sink = sink;
    this.#stopWatching = watchView({ shown: () => this.#wake(), away: () => this.#rest() });
    sink.connection({ kind: 'loading' });
    void this.#load();
  }

  readonly close = (): void => {
    this.#aborting.abort();
    this.#stopWatching();
    this.#stream?.close();
    clearTimeout(this.#timer);
  };

  #rest(): void {
    if (this.#stream === undefined) return;
    this.#drop();
    this.#isResting = true;
    this.#sink.gap();
  }

  #wake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    this.#sink.connection({ kind: 'loading' });
    void this.#load();
  }

  #drop(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  async #load(): Promise<void> {
    try {
      const text = await getText(`${this.#base}/journal?after=${this.#after}`, this.#aborting.signal);
      this.#hand(text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as CadreEvent])));
      this.#listen();
    } catch (thrown) {
      if (this.#aborting.signal.aborted) return;
      if (thrown instanceof ApiError && thrown.code !== 'OFFLINE' && thrown.status < 500)
        this.#sink.connection({ kind: 'failed', message: thrown.message });
      else this.#again();
    }
  }

  #listen(): void {
    if (document.hidden) {
      this.#isResting = true;
      return;
    }
    const stream = new EventSource(`.${this.#base}/events?after=${this.#after}`);
    this.#stream = stream;
    stream.addEventListener('open', () => {
      this.#waitMs = firstWaitMs;
      this.#sink.restart();
      this.#sink.connection({ kind: 'live' });
    });
    stream.addEventListener('message', ({ data }) => this.#hand([JSON.parse(String(data)) as CadreEvent]));
    stream.addEventListener('delta', ({ data }) => this.#sink.delta(JSON.parse(String(data)) as LiveDelta));
    stream.addEventListener('progress', ({ data }) => this.#sink.progress(JSON.parse(String(data)) as LiveProgress));
    stream.addEventListener('lag', () => this.#sink.restart());
    stream.addEventListener('end', () => {
      this.#drop();
      this.#sink.connection({ kind: 'over' });
    });
    // The browser would reconnect by itself, but not after an error answer, and without notice.
    stream.addEventListener('error', () => {
      const isRefused = stream.readyState === EventSource.CLOSED;
      this.#drop();
      if (this.#aborting.signal.aborted) return;
      if (isRefused) this.#poll();
      else this.#again();
    });
  }

  /** Asks for later events from time to time: other windows of this browser have all streams. */
  #poll(): void {
    this.#sink.restart();
    this.#sink.connection({ kind: 'live' });
    this.#timer = setTimeout(() => void this.#load(), pollMs);
  }

  /** Loads missing events and reconnects, after a while. */
  #again(): void {
    this.#sink.connection({ kind: 'lost' });
    this.#sink.gap();
    this.#timer = setTimeout(() => void this.#load(), this.#waitMs);
    this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2);
  }

  #hand(events: readonly CadreEvent[]): void {
    const fresh = events.filter((event) => event.seq > this.#after);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.#after = last.seq;
    this.#sink.events(fresh);
  }
}
