import { deserialize, serialize } from 'node:v8';
import type { Journal, JournalReader, Lease, Snapshot } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { engineVersion } from '../version.ts';
import { HistoryParts, joinParts, type MissingPart, type PartList, partName } from './history-parts.ts';

/** Number of the form of a run's state. Snapshots of another version of the engine are ignored; raise it when the form changes within one. */
export const stateForm = 3;

const form = `${engineVersion} state ${stateForm}`;

/** Fewest events between two snapshots: reading and folding so many takes about a tenth of a second. */
export const eventsPerSnapshot = 10_000;

/** Size in bytes above which snapshots become rarer in proportion to it: the work per event does not grow with the state. */
const usualBytes = 500_000;

/** Largest snapshot in bytes that is kept. A larger one is made and thrown away; the next is tried after as many events as its size asks for. */
const mostBytes = 2_000_000;

/** Body of a snapshot: a state, and where the parts belong that are kept beside it. */
interface CutState {
  readonly state: RunContext;
  readonly parts: ReadonlyMap<string, PartList>;
}

/** Services of the snapshots of one run. */
interface SnapshotPorts {
  readonly journal: Pick<Journal, 'keepSnapshot' | 'keepSnapshotPart'>;
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
  readonly #parts: HistoryParts;
  #next: number;
  #isOver = false;
  /** Settles when the snapshot before is written. */
  #written: Promise<void> | undefined;

  constructor({ journal, snapshotEvery = eventsPerSnapshot }: SnapshotPorts, lease: Lease) {
    this.#journal = journal;
    this.#lease = lease;
    this.#every = snapshotEvery;
    // A thousand messages. Parts are written one with a commit: they must not fill as fast, however few they have.
    this.#parts = new HistoryParts(Math.max(4, Math.ceil(snapshotEvery / 10)));
    this.#next = journal.keepSnapshot === undefined ? Infinity : snapshotEvery;
  }

  /** Called when all events in a state are in the journal. */
  noteCommit(state: RunContext): void {
    if (state.outcome !== undefined) this.#end(state);
    else if (state.seq >= this.#next && this.#written === undefined) this.#make(state);
  }

  #make(state: RunContext): void {
    const hasParts = this.#journal.keepSnapshotPart !== undefined;
    // One part at a time, and the snapshot when all are kept: nothing holds up the event loop.
    const missing = hasParts ? this.#parts.missing(state) : undefined;
    if (missing !== undefined) {
      this.#written = this.#keepPart(missing);
      return;
    }
    const cut = hasParts ? this.#parts.cut(state) : { state, parts: new Map<string, PartList>() };
    const body = serialize(cut satisfies CutState);
    this.#next = state.seq + Math.ceil(this.#every * Math.max(1, body.length / usualBytes));
    const parts = namesOf(cut.parts);
    if (body.length <= mostBytes) this.#written = this.#keep({ seq: state.seq, layout: form, body, parts });
  }

  /** Drops the snapshot of a run that is over: nothing reads it any more. */
  #end(state: RunContext): void {
    if (this.#isOver || state.seq < this.#every || this.#journal.keepSnapshot === undefined) return;
    this.#isOver = true;
    this.#next = Infinity;
    void Promise.resolve(this.#written).then(() => this.#keep(undefined));
  }

  async #keepPart({ name, body, kept }: MissingPart): Promise<void> {
    try {
      await this.#journal.keepSnapshotPart?.(this.#lease, name, body);
      kept();
    } catch {
      // The commits of the run report what is wrong with its store.
      this.#next += this.#every;
    } finally {
      this.#written = undefined;
    }
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

function namesOf(parts: ReadonlyMap<string, PartList>): readonly string[] {
  return [...parts].flatMap(([agentId, { from, sums }]) => sums.map((_, index) => partName(agentId, from + index)));
}

/** Returns the state in a run's snapshot; undefined without one that this version can read. */
export async function readSnapshot(
  journal: Pick<JournalReader, 'snapshot' | 'snapshotParts'>,
  runId: RunId,
): Promise<RunContext | undefined> {
  const snapshot = await journal.snapshot?.(runId);
  if (snapshot === undefined || snapshot.layout !== form) return undefined;
  try {
    const { state, parts } = deserialize(snapshot.body) as CutState;
    if (state.meta.runId !== runId || state.seq !== snapshot.seq) return undefined;
    return parts.size === 0 ? state : joinParts(state, parts, (await journal.snapshotParts?.(runId)) ?? new Map());
  } catch {
    // Written by a newer Node, or damaged: the events say the same.
    return undefined;
  }
}
