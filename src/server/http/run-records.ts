import type { RunId } from '../../core/ids.ts';
import type { JournalReader } from '../../core/events/journal.ts';
import { RunRecord } from './run-record.ts';

/** Runs that are kept open to look at; the ones looked at longest ago are let go. */
const maxOpen = 4;

/** The runs that somebody looks at, a few of them kept so that a page of requests reads each journal once. */
export class RunRecords {
  readonly #journal: JournalReader;
  readonly #open = new Map<string, RunRecord>();

  constructor(journal: JournalReader) {
    this.#journal = journal;
  }

  /** A run, up to date. Fails with RUN_UNKNOWN when there is none of this id. */
  async get(runId: string): Promise<RunRecord> {
    const record = this.#open.get(runId) ?? new RunRecord(runId as RunId, this.#journal);
    // The last one in is the last one to go.
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
