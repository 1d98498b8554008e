import type { RunId } from '../../core/ids.ts';
import type { JournalReader } from '../../core/events/journal.ts';
import { RunRecord } from './run-record.ts';

/** Maximum number of runs kept open; the least recently used is dropped. */
const maxOpen = 4;

/** Recently read runs, kept so that several requests for a page read each journal once. */
export class RunRecords {
  readonly #journal: JournalReader;
  readonly #open = new Map<string, RunRecord>();

  constructor(journal: JournalReader) {
    this.#journal = journal;
  }

  /** Returns a run, up to date. Fails with RUN_UNKNOWN when no run has this id. */
  async get(runId: string): Promise<RunRecord> {
    const record = this.#open.get(runId) ?? new RunRecord(runId as RunId, this.#journal);
    // Moves the run to the end: the first one is dropped next.
    this.#open.delete(runId);
    this.#open.set(runId, record);
    const [oldest] = this.#open.keys();
    if (this.#open.size > maxOpen && oldest !== undefined) this.#open.delete(oldest);
    try {
      return await record.update();
    } catch (thrown) {
      if (this.#open.get(runId) === record) this.#open.delete(runId);
      throw thrown;
    }
  }
}
