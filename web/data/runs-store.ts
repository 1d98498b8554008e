import { signal } from '@preact/signals';
import type { RunSummary } from '../../src/core/events/journal.ts';
import { getJson } from './api.ts';
import { watchView } from './in-view.ts';
import { loadServerInfo } from './server-info.ts';

/** A row in the list of runs. */
export interface RunRow extends RunSummary {
  /** True when the server's own process advances the run. */
  readonly isLive: boolean;
}

/** Number of runs per request: the most the server returns. */
const pageSize = 1_000;
const retryMs = 2_000;

/** A page of the list, as the server answers. */
interface RunsPage {
  readonly runs: readonly RunRow[];
  readonly more: boolean;
}

/** List of runs, newest first, updated row by row. Pauses while the window is hidden. */
export class RunsStore {
  readonly rows = signal<readonly RunRow[] | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  #stream: EventSource | undefined;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #stopWatching: () => void;

  constructor() {
    this.#stopWatching = watchView({ shown: () => this.#wake(), away: () => this.#drop() });
    void this.#load();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    this.#drop();
    clearTimeout(this.#timer);
  }

  #wake(): void {
    if (this.#stream === undefined) void this.#load();
  }

  #drop(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  async #load(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      // Listens before loading the list, so that changes in between arrive in one of them.
      this.#listen();
      await loadServerInfo();
      for (let before = ''; ;) {
        const { runs, more } = await getJson<RunsPage>(`/api/runs?limit=${pageSize}${before}`);
        this.rows.value = merged(this.rows.value ?? [], runs);
        this.problem.value = undefined;
        const last = runs.at(-1);
        if (!more || last === undefined || this.#isClosed) return;
        before = `&before=${encodeURIComponent(last.runId)}`;
      }
    } catch (thrown) {
      this.#lose(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #listen(): void {
    this.#drop();
    if (document.hidden) return;
    const stream = new EventSource('./api/events');
    this.#stream = stream;
    stream.addEventListener('runs', ({ data }) => {
      const { runs } = JSON.parse(String(data)) as { readonly runs: readonly RunRow[] };
      this.rows.value = merged(this.rows.value ?? [], runs);
    });
    stream.addEventListener('error', () => {
      // A closed stream was refused: other windows of this browser have all streams, so this one asks from time to time.
      this.#lose(stream.readyState === EventSource.CLOSED ? undefined : 'The server does not answer; retrying.');
    });
  }

  #lose(problem: string | undefined): void {
    this.#drop();
    if (this.#isClosed) return;
    this.problem.value = problem;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), retryMs);
  }
}

/** Returns the rows, replaced by newer ones of the same runs, newest run first. */
function merged(rows: readonly RunRow[], changed: readonly RunRow[]): readonly RunRow[] {
  const byId = new Map(rows.map((row) => [row.runId, row]));
  for (const row of changed) {
    const known = byId.get(row.runId);
    if (known === undefined || known.lastSeq <= row.lastSeq) byId.set(row.runId, row);
  }
  return [...byId.values()].toSorted((a, b) => b.createdAt - a.createdAt);
}
