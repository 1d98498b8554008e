import { signal } from '@preact/signals';
import type { RunSummary } from '../../src/core/journal.ts';
import { ApiError, getJson } from './api.ts';

/** A run in the list. */
export interface RunRow extends RunSummary {
  /** US dollars known so far; `costUnknown` when some call had no price. */
  readonly cost: number;
  readonly costUnknown: boolean;
  /** The server's own process advances it. */
  readonly isLive: boolean;
}

/** What the server is and may do. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly location: string;
  /** Runs may be started, steered and ended from here. */
  readonly canControl: boolean;
  readonly profiles: readonly { readonly name: string; readonly type: string; readonly description: string }[];
  readonly defaultProfile: string;
}

const retryMs = 2_000;

/** The list of runs, newest first, kept up to date by the rows that change. */
export class RunsStore {
  readonly rows = signal<readonly RunRow[] | undefined>(undefined);
  readonly info = signal<ServerInfo | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  #stream: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    void this.#load();
  }

  close(): void {
    this.#stream?.close();
    clearTimeout(this.#timer);
  }

  async #load(): Promise<void> {
    try {
      // Listened to before the list is asked for: what changes between is in one of them.
      this.#listen();
      this.info.value = await getJson<ServerInfo>('/api/info');
      const { runs } = await getJson<{ readonly runs: readonly RunRow[] }>('/api/runs?limit=1000');
      this.rows.value = merged(runs, this.rows.value ?? []);
      this.problem.value = undefined;
    } catch (thrown) {
      this.problem.value = thrown instanceof ApiError ? thrown.message : String(thrown);
      this.#again();
    }
  }

  #listen(): void {
    this.#stream?.close();
    const stream = new EventSource('./api/events');
    this.#stream = stream;
    stream.addEventListener('runs', ({ data }) => {
      const { runs } = JSON.parse(String(data)) as { readonly runs: readonly RunRow[] };
      this.rows.value = merged(this.rows.value ?? [], runs);
    });
    stream.addEventListener('error', () => this.#again());
  }

  #again(): void {
    this.#stream?.close();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), retryMs);
  }
}

/** Rows with newer ones in their place, newest run first. */
function merged(rows: readonly RunRow[], changed: readonly RunRow[]): readonly RunRow[] {
  const byId = new Map(rows.map((row) => [row.runId, row]));
  for (const row of changed) {
    const known = byId.get(row.runId);
    if (known === undefined || known.lastSeq <= row.lastSeq) byId.set(row.runId, row);
  }
  return [...byId.values()].toSorted((a, b) => b.createdAt - a.createdAt);
}
