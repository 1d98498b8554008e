import { deserialize, serialize } from 'node:v8';
import type { Journal, JournalReader, Lease, Snapshot } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { engineVersion } from '../version.ts';

/** Number of the form of a run's state. Snapshots of another version of the engine are ignored; raise it when the form changes within one. */
export const stateForm = 1;

const form = `${engineVersion} state ${stateForm}`;

/** Fewest events between two snapshots: reading and folding so many takes about a tenth of a second. */
export const eventsPerSnapshot = 10_000;

/** Size in bytes above which snapshots become rarer in proportion to it: the work per event does not grow with the state. */
const usualBytes = 500_000;

/** Largest snapshot in bytes that is kept. A larger one is made and thrown away; the next is tried after as many events as its size asks for. */
const mostBytes = 2_000_000;

/** Services of the snapshots of one run. */
interface SnapshotPorts {
  readonly journal: Pick<Journal, 'keepSnapshot'>;
  /** Fewest events between two snapshots; `eventsPerSnapshot` unless a test sets it. */
  readonly snapshotEvery?: number | undefined;
}

/**
 * Snapshots of a run while it goes on: the first with the first commit at or after event 10,000, each later one after 10,000 more events, or
 * more in proportion to the size of the one before above 500 KB. None after its end. In a resumed run they count from its beginning again,
 * so the first commit after event 10,000 makes one.
 *
 * A snapshot only saves reading: one that cannot be written, or is lost, changes nothing.
 */
export class RunSnapshots {
  readonly #journal: SnapshotPorts['journal'];
  readonly #lease: Lease;
  readonly #every: number;
  #next: number;
  #isOver = false;
  /** Settles when the snapshot before is written. */
  #written: Promise<void> | undefined;

  constructor({ journal, snapshotEvery = eventsPerSnapshot }: SnapshotPorts, lease: Lease) {
    this.#journal = journal;
    this.#lease = lease;
    this.#every = snapshotEvery;
    this.#next = journal.keepSnapshot === undefined ? Infinity : snapshotEvery;
  }

  /** Called when all events in a state are in the journal. */
  noteCommit(state: RunContext): void {
    if (state.outcome !== undefined) this.#end(state);
    else if (state.seq >= this.#next && this.#written === undefined) this.#make(state);
  }

  #make(state: RunContext): void {
    const body = serialize(state);
    this.#next = state.seq + Math.ceil(this.#every * Math.max(1, body.length / usualBytes));
    if (body.length <= mostBytes) this.#written = this.#keep({ seq: state.seq, layout: form, body });
  }

  /** Drops the snapshot of a run that is over: nothing reads it any more. */
  #end(state: RunContext): void {
    if (this.#isOver || state.seq < this.#every || this.#journal.keepSnapshot === undefined) return;
    this.#isOver = true;
    this.#next = Infinity;
    void Promise.resolve(this.#written).then(() => this.#keep(undefined));
  }

  async #keep(snapshot: Snapshot | undefined): Promise<void> {
    try {
      await this.#journal.keepSnapshot?.(this.#lease, snapshot);
    } catch {
      // The commits of the run report what is wrong with its store.
    } finally {
      this.#written = undefined;
    }
  }
}

/** Returns the state in a run's snapshot; undefined without one that this version can read. */
export async function readSnapshot(journal: Pick<JournalReader, 'snapshot'>, runId: RunId): Promise<RunContext | undefined> {
  const snapshot = await journal.snapshot?.(runId);
  if (snapshot === undefined || snapshot.layout !== form) return undefined;
  try {
    const state = deserialize(snapshot.body) as RunContext;
    return state.meta.runId === runId && state.seq === snapshot.seq ? state : undefined;
  } catch {
    // Written by a newer Node, or damaged: the events say the same.
    return undefined;
  }
}
