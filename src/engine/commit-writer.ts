import type { RunId } from '../core/ids.ts';
import type { Journal, Lease } from '../core/journal.ts';
import type { CommitBatch } from './commit-batch.ts';

/** Writes the commits of one run under its lease. */
export class CommitWriter {
  readonly #journal: Journal;
  readonly #lease: Lease;

  constructor(journal: Journal, lease: Lease) {
    this.#journal = journal;
    this.#lease = lease;
  }

  /** Appends what a batch holds; a promise when the journal answers with one. The first commit of a run is synced before it counts. */
  append(runId: RunId, { expectedSeq, events, contents }: CommitBatch, sync: boolean): Promise<void> | undefined {
    const isFirst = expectedSeq === 0;
    const syncsAtOnce = this.#journal.sync !== undefined;
    const commit = { runId, expectedSeq, events, contents, sync: sync || (isFirst && !syncsAtOnce) };
    const appended = this.#journal.append(this.#lease, commit) ?? undefined;
    return isFirst && syncsAtOnce ? this.#synced(appended) : appended;
  }

  /** Many launches at once share a sync. */
  async #synced(appended: Promise<void> | undefined): Promise<void> {
    await appended;
    await this.#journal.sync?.();
  }

  /** Gives the run back. A store that fails here keeps nothing from being closed: all that is left is in the journal. */
  async leave(): Promise<void> {
    await Promise.try(() => this.#journal.release(this.#lease)).catch(() => undefined);
  }
}
