import { deserialize, serialize } from 'node:v8';
import type { Journal, JournalReader, Lease, Snapshot } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Unfinished } from '../effects/unfinished.ts';
import { engineVersion } from '../version.ts';
import { HistoryParts, joinParts, type KeptPart, type MissingPart, type PartList, partName } from './history-parts.ts';

/** Number of the form of a run's state. Snapshots of another version of the engine are ignored; raise it when the form changes within one. */
export const stateForm = 8;

const form = `${engineVersion} state ${stateForm}`;

/** Events before the first snapshot: reading and folding so many takes less than a tenth of a second. Later snapshots follow after half as many. */
export const eventsBeforeSnapshot = 10_000;

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
  /** Work that must be over before the engine has closed. */
  readonly unfinished: Pick<Unfinished, 'add'>;
  /** Events before the first snapshot; `eventsBeforeSnapshot` unless a test sets it. */
  readonly snapshotEvery?: number | undefined;
}

/** The snapshot that a state was read from. */
interface TakenSnapshot {
  readonly seq: number;
  readonly bytes: number;
  readonly kept: ReadonlyMap<string, KeptPart>;
  /** Sequence number of the state when all was read. */
  readTo: number;
}

// Pure cache: the snapshot that a state was read from, keyed by that state; ignored once the state holds events that were read otherwise.
const takenSnapshots = new WeakMap<RunContext, TakenSnapshot>();

/**
 * Snapshots of a run while it goes on: the first with the first commit at or after event 10,000, each later one after 5,000 more events, or
 * more in proportion to the size of the one before above 500 KB. None after its end. A resumed run goes on from the snapshot it was read
 * from, whose parts are kept already; one that was read without a snapshot makes one with its first commit after event 10,000.
 *
 * A snapshot only saves reading: one that cannot be written, or is lost, changes nothing.
 */
export class RunSnapshots {
  readonly #journal: SnapshotPorts['journal'];
  readonly #unfinished: SnapshotPorts['unfinished'];
  readonly #lease: Lease;
  readonly #first: number;
  readonly #parts: HistoryParts;
  /** Sequence number from which the next snapshot is due. */
  next: number;
  #isOver = false;
  /** Settles when the snapshot before is written. */
  #written: Promise<void> | undefined;

  constructor({ journal, unfinished, snapshotEvery = eventsBeforeSnapshot }: SnapshotPorts, lease: Lease, state: RunContext) {
    this.#journal = journal;
    this.#unfinished = unfinished;
    this.#lease = lease;
    this.#first = snapshotEvery;
    const found = takenSnapshots.get(state);
    // Events that were read later may be those of another process, which may have kept other parts.
    const taken = found?.readTo === state.seq ? found : undefined;
    // Five hundred messages. Parts are written one with a commit: they must not fill as fast, however few they have.
    this.#parts = new HistoryParts(Math.max(4, Math.ceil(snapshotEvery / 20)), taken?.kept);
    if (journal.keepSnapshot === undefined) this.next = Infinity;
    else this.next = taken === undefined ? snapshotEvery : this.#after(taken.seq, taken.bytes);
  }

  /** Called when all events in a state are in the journal, and it has reached `next` or its end. */
  noteCommit(state: RunContext): void {
    if (state.outcome !== undefined) this.#end(state);
    else if (state.seq >= this.next && this.#written === undefined) this.#make(state);
  }

  #make(state: RunContext): void {
    const hasParts = this.#journal.keepSnapshotPart !== undefined;
    // One part at a time, and the snapshot when all are kept: nothing holds up the event loop.
    const missing = hasParts ? this.#parts.missing(state) : undefined;
    if (missing !== undefined) {
      this.#write(this.#keepPart(missing));
      return;
    }
    const cut = hasParts ? this.#parts.cut(state) : { state, parts: new Map<string, PartList>() };
    const body = serialize(cut satisfies CutState);
    this.next = this.#after(state.seq, body.length);
    const parts = namesOf(cut.parts);
    if (body.length <= mostBytes) this.#write(this.#keep({ seq: state.seq, layout: form, body, parts }));
  }

  /** Returns where the snapshot is due that follows one of so many bytes. */
  #after(seq: number, bytes: number): number {
    return seq + Math.ceil((this.#first / 2) * Math.max(1, bytes / usualBytes));
  }

  /** Drops the snapshot of a run that is over: nothing reads it any more. */
  #end(state: RunContext): void {
    if (this.#isOver || state.seq < this.#first || this.#journal.keepSnapshot === undefined) return;
    this.#isOver = true;
    this.next = Infinity;
    this.#write(Promise.resolve(this.#written).then(() => this.#keep(undefined)));
  }

  #write(written: Promise<void>): void {
    this.#written = written;
    this.#unfinished.add('a snapshot', written);
  }

  async #keepPart({ name, body, kept }: MissingPart): Promise<void> {
    try {
      await this.#journal.keepSnapshotPart?.(this.#lease, name, body);
      kept();
    } catch {
      // The commits of the run report what is wrong with its store.
      this.next += this.#first;
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

/** A snapshot that was found; the parts that it refers to may still be on their way. */
export interface FoundSnapshot {
  readonly seq: number;
  /** Resolves with the whole state; undefined when a part is missing or another one. */
  readonly state: () => Promise<RunContext | undefined>;
}

/** Finds a run's snapshot; undefined without one that this version can read. */
export async function findSnapshot(
  journal: Pick<JournalReader, 'snapshot' | 'snapshotParts'>,
  runId: RunId,
): Promise<FoundSnapshot | undefined> {
  // Both are asked for at once: a store elsewhere answers them in the time of one.
  const parts = Promise.resolve(journal.snapshotParts?.(runId));
  // A failure is reported where they are awaited.
  parts.catch(() => undefined);
  const snapshot = await journal.snapshot?.(runId);
  const cut = snapshot?.layout === form ? readCut(snapshot, runId) : undefined;
  if (snapshot === undefined || cut === undefined) {
    await parts;
    return undefined;
  }
  return {
    seq: snapshot.seq,
    state: async () => {
      const kept = joined(cut, (await parts) ?? new Map());
      if (kept === undefined) return undefined;
      takenSnapshots.set(cut.state, { seq: snapshot.seq, bytes: snapshot.body.length, kept, readTo: snapshot.seq });
      return cut.state;
    },
  };
}

function readCut({ body, seq }: Snapshot, runId: RunId): CutState | undefined {
  try {
    const cut = deserialize(body) as CutState;
    return cut.state.meta.runId === runId && cut.state.seq === seq ? cut : undefined;
  } catch {
    // Written by a newer Node, or damaged: the events say the same.
    return undefined;
  }
}

function joined({ state, parts }: CutState, bodies: ReadonlyMap<string, string>): ReadonlyMap<string, KeptPart> | undefined {
  try {
    return joinParts(state, parts, bodies);
  } catch {
    return undefined;
  }
}

/** Notes that a state has been read to its end: a run that goes on from exactly there makes its next snapshot after the one it was read from. */
export function noteRead(state: RunContext): void {
  const taken = takenSnapshots.get(state);
  if (taken !== undefined) taken.readTo = state.seq;
}
