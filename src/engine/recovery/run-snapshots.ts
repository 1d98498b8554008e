import { deserialize, serialize } from 'node:v8';
import type { Journal, JournalReader, Lease, Snapshot } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { engineVersion } from '../version.ts';

/** Number of the form of a run's state. Another version of the engine ignores a snapshot; raise it when the form changes within one. */
export const stateForm = 1;

const layout = `${engineVersion} state ${stateForm}`;

/** Fewest events between two snapshots: what is read and folded after one takes about a tenth of a second. */
export const eventsPerSnapshot = 10_000;

/** Size from which on snapshots become rarer in proportion to it: the work per event does not grow with the state. */
const usualBytes = 500_000;

/** Largest snapshot in bytes: making one does not hold up the event loop. */
const mostBytes = 2_000_000;

/** Services of the snapshots of one run. */
interface SnapshotPorts {
  readonly journal: Pick<Journal, 'keepSnapshot'>;
  /** Fewest events between two snapshots; `eventsPerSnapshot` unless a test sets it. */
  readonly snapshotEvery?: number | undefined;
}

/**
 * Snapshots of a run while it goes on: one after some thousands of events, none after its end.
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
    if (body.length <= mostBytes) this.#written = this.#keep({ seq: state.seq, layout, body });
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
  if (snapshot === undefined || snapshot.layout !== layout) return undefined;
  try {
    const state = deserialize(snapshot.body) as RunContext;
    return state.meta.runId === runId && state.seq === snapshot.seq ? state : undefined;
  } catch {
    // Written by a newer Node, or damaged: the events say the same.
    return undefined;
  }
}
