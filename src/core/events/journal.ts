import { CadreError } from '../error.ts';
import type { CadreEvent } from './event.ts';
import type { ContentHash, RunId, TurnId } from '../ids.ts';
import type { LiveChannel } from './live-channel.ts';

/** A value or a promise of it: stores in the same process answer synchronously. */
export type Awaitable<T> = T | Promise<T>;

/** A text stored once, under its hash. */
export interface ContentEntry {
  readonly hash: ContentHash;
  readonly text: string;
}

/** Right to append to a run. A higher epoch fences off every lower one (I8). */
export interface Lease {
  readonly runId: RunId;
  readonly owner: string;
  readonly epoch: number;
}

/** One commit: events with consecutive sequence numbers, and the texts they refer to. */
export interface Commit {
  readonly runId: RunId;
  /** Sequence number before the first event of this commit; 0 for a new run. */
  readonly expectedSeq: number;
  readonly events: readonly CadreEvent[];
  readonly contents: readonly ContentEntry[];
  /** The commit must survive a power cut, not only a killed process. */
  readonly sync: boolean;
  /** Ids of the inputs that it applies, in a journal with `shared`: an id that was applied before makes the append fail (STORE_CONFLICT). */
  readonly inputs?: readonly string[];
}

/**
 * What engines on several machines need of a journal to work on the same runs. A runtime lets them append in turn; the expected sequence
 * number keeps out one that is late.
 */
export interface SharedJournal {
  /** Returns the journal's own id, the same for all who open it. */
  id(): Awaitable<string>;
  /**
   * Returns the id of the runtime that the journal belongs to: `mine` when it belongs to none yet, or with `adopt`. Undefined without
   * `mine`, when it belongs to none.
   */
  runtime(mine?: string, options?: { readonly adopt?: boolean }): Awaitable<string | undefined>;
  /**
   * Takes the lease of a run for all engines that use the name `holder`, until the run is taken over. `isInterrupted` says that its newest
   * events were written under an earlier lease. Throws RUN_LOCKED as `acquire` does.
   */
  acquire(runId: RunId, holder: string): Awaitable<Lease & { readonly isInterrupted: boolean }>;
  /**
   * Returns the runs of `holder` that are at work, with `orWaiting` also those that wait, and whose last event is older than `at`
   * (milliseconds since 1970).
   */
  stalled(
    holder: string,
    at: number,
    options?: { readonly orWaiting?: boolean },
  ): Awaitable<readonly { readonly runId: RunId; readonly lastSeq: number }[]>;
  /** True when a commit applied the input with this id. */
  hasApplied(runId: RunId, input: string): Awaitable<boolean>;
  /** Sets a mark of a run, durably; true only for the first that sets it. */
  mark(runId: RunId, name: string): Awaitable<boolean>;
  /** Returns the time of the store, in milliseconds since 1970. Optional: a store in this process has the same time. */
  now?(): Awaitable<number>;
  /** Forgets the inputs and marks of runs that ended, and had no event since `before` (milliseconds since 1970). */
  forget(before: number): Awaitable<void>;
}

/** State of a run after one of its commits, with which it can go on without its earlier events. The events stay the truth. */
export interface Snapshot {
  /** Sequence number of the last event folded in, the last one of its commit. */
  readonly seq: number;
  /** Form of the body; a reader ignores a form that is not its own. */
  readonly layout: string;
  readonly body: Uint8Array;
  /** Names of the parts that the body refers to. Others are dropped as it is kept. */
  readonly parts?: readonly string[];
}

/** Summary of a run for lists; every commit updates it. */
export interface RunSummary {
  readonly runId: RunId;
  readonly title: string;
  readonly profile: string;
  /**
   * `running`; `awaiting` while a person must decide or answer; `idle` while it waits for a message; `completed`, `failed`,
   * `cancelled`; `damaged`.
   */
  readonly status: string;
  /** Number of approvals and questions that wait for a person; absent where the journal does not record it, as in earlier versions. */
  readonly pending?: number;
  readonly outcome?: string;
  /** Wall time of its launch; of a fork, when it was forked. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastSeq: number;
  readonly agents: number;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when the cost of some model call is unknown. */
  readonly cost: number | null;
  /** US dollars known so far. */
  readonly costAtLeast: number;
  /** Some model call had no price. */
  readonly costUnknown: boolean;
  /** True when the run is unfinished and no process owns it: its owner died or closed its engine. Absent when a store cannot tell. */
  readonly isAbandoned?: true;
  /** Imported from a file; it never goes on. */
  readonly isImported?: true;
  /** The project it is filed under. */
  readonly project?: string;
  /** Time of its deletion, in milliseconds since 1970; only the list of deleted runs shows it. */
  readonly deletedAt?: number;
}

/** Labels of a run, outside its state. An absent field leaves a label as it is; null removes it. */
export interface RunMarks {
  readonly title?: string | null;
  readonly project?: string | null;
  readonly deletedAt?: number | null;
}

/** Filter for a list of runs; without it, all that are not deleted. */
export interface RunsFilter {
  /** Only the run of this id, deleted or not. */
  readonly runId?: RunId;
  /** Only unfinished runs. */
  readonly isOpen?: true;
  /** Only runs of this project. */
  readonly project?: string;
  /** Only deleted runs. */
  readonly isDeleted?: true;
  /** At most this many, newest first. */
  readonly limit?: number;
}

/**
 * Events for the record of one turn, when that is less than the whole run: those of its agent from some turn on, and those that
 * introduce agents and profiles. Their sequence numbers have gaps.
 */
export interface TurnEvents {
  readonly turnId: TurnId;
  readonly events: readonly CadreEvent[];
  /** The turn from which the agent's history is read; undefined = from its first message. */
  readonly beginsWith: TurnId | undefined;
  /** Returns any event of the run. */
  readonly eventAt: (seq: number) => CadreEvent | undefined;
  /** Returns the cause of any event of the run; cheaper than reading the event. */
  readonly causeOf: (seq: number) => number | undefined;
}

/**
 * Port to a store of journals.
 *
 * 1. `append` is atomic: all events and contents of a commit, or none.
 * 2. It fails with STORE_CONFLICT when the run's last sequence number is not `expectedSeq`, or the lease's epoch is stale.
 * 3. `read` returns appended events in order, without gaps; every event deep-equals the one appended.
 * 4. `content` answers synchronously: model calls and views are assembled from stored texts without waiting. A remote store
 *    reads the texts of a run into memory in `acquire` or `read`.
 * 5. The summary of a run includes its marks as soon as `mark` returns. A deleted run cannot be acquired (RUN_DELETED); an
 *    unfinished run with a live holder cannot be deleted (RUN_LOCKED).
 * 6. A newer schema is refused with STORE_NEWER, damage with STORE_CORRUPT, everything else with STORE_FAILED.
 */
export interface Journal {
  /** Location of the journal, for messages: a path, or `memory`. */
  readonly location: string;
  /**
   * Acquires the lease of a run, replacing a dead holder. Throws RUN_LOCKED naming a live holder. If it is not yet known whether
   * the holder lives, the error's details have `knownInMs`, the longest wait until it is; try again to find out.
   */
  acquire(runId: RunId, owner: string): Awaitable<Lease>;
  /**
   * True while the lease is still the run's and no other process has taken over. Asked before an effect outside that must not
   * happen twice. Optional.
   */
  holds?(lease: Lease): Awaitable<boolean>;
  /** Releases a run: immediately for this process, even if the store can inform other processes only later. */
  release(lease: Lease): Awaitable<void>;
  /**
   * Asks holders that cannot be probed for a sign of life; those that stay silent for a while no longer count as holders in the
   * list of runs. Optional.
   */
  askHolders?(): Awaitable<void>;
  append(lease: Lease, commit: Commit): Awaitable<void>;
  /**
   * Resolves once every commit appended so far survives a power cut; concurrent calls share one sync. A store without it syncs
   * each commit.
   */
  sync?(): Awaitable<void>;
  /** Returns events with a sequence number above `after`, at most `limit`. Throws RUN_UNKNOWN when there is no such run. */
  read(runId: RunId, options?: { readonly after?: number; readonly limit?: number }): Awaitable<readonly CadreEvent[]>;
  /**
   * Returns the events for one turn's record. `reference` is `last`, a whole id, or the unique end of one. Undefined when the
   * record takes the whole run, or when the reference matches no turn or several. Optional.
   */
  turnEvents?(runId: RunId, reference: string): Awaitable<TurnEvents | undefined>;
  /**
   * Returns a stored text; undefined when none was ever stored under this hash. Throws when the store has one and cannot return it now, such
   * as STORE_FAILED for one that it has let go. Never a promise.
   */
  content(hash: ContentHash): string | undefined;
  /** Returns runs, newest first. Filtered runs cost little or nothing. */
  runs(filter?: RunsFilter): Awaitable<readonly RunSummary[]>;
  /**
   * Sets labels of a run, even while another process holds it: a title, a project, a deletion. Throws RUN_UNKNOWN when there is
   * no such run. Optional.
   */
  mark?(runId: RunId, change: RunMarks): Awaitable<void>;
  /**
   * Erases a run that has ended, was imported or is deleted: its events, marks, seals and snapshot, and what `shared` keeps of it. Later
   * appends of an earlier holder fail. Its texts stay until `eraseLooseTexts`. Throws RUN_UNKNOWN when there is no such run, RUN_LOCKED for
   * another run and one that a process holds; the shared lease of an ended run does not count. Optional.
   */
  erase?(runId: RunId): Awaitable<void>;
  /**
   * Erases the texts of erased runs that nothing else refers to, also those that an interrupted call left; returns how many. Takes time in
   * proportion to the journal; others can write meanwhile. Optional.
   */
  eraseLooseTexts?(): Awaitable<number>;
  /** Keeps a snapshot of a run instead of the earlier one; without one, drops it. Does nothing when the lease is stale. Optional. */
  keepSnapshot?(lease: Lease, snapshot: Snapshot | undefined): Awaitable<void>;
  /**
   * Returns the snapshot of a run; undefined when there is none, when it is damaged, or when the commit it was made after is not in the run
   * (any more). Optional.
   */
  snapshot?(runId: RunId): Awaitable<Snapshot | undefined>;
  /** Keeps a part for later snapshots of a run instead of the one of its name. Does nothing when the lease is stale. Optional. */
  keepSnapshotPart?(lease: Lease, name: string, body: string): Awaitable<void>;
  /** Returns the parts of a run by name, unchecked: a snapshot says what belongs to it. Optional. */
  snapshotParts?(runId: RunId): Awaitable<ReadonlyMap<string, string>>;
  /**
   * Calls back when a run (undefined: any run) may have changed, also in another process; returns what ends it. Calls may be missing:
   * look at the journal from time to time as well. Optional.
   */
  watch?(runId: RunId | undefined, wake: () => void): () => void;
  /** Carries live data of runs to readers in other processes. Optional. */
  readonly live?: LiveChannel;
  /** For engines on several machines that work on the same runs. Optional. */
  readonly shared?: SharedJournal;
  close(): Awaitable<void>;
}

/** The reading half of a journal. */
export type JournalReader = Pick<
  Journal,
  'location' | 'read' | 'content' | 'runs' | 'watch' | 'live' | 'snapshot' | 'snapshotParts'
>;

/**
 * Returns a reader of the texts that a journal's runs refer to, for views. Throws STORE_CORRUPT for a text that is missing: a view without it
 * would look whole.
 */
export function requiredTexts(read: (hash: ContentHash) => string | undefined, location: string): (hash: ContentHash) => string {
  return (hash) => {
    const text = read(hash);
    if (text !== undefined) return text;
    throw new CadreError(
      'STORE_CORRUPT',
      `${location}: a text to which the run refers is missing (${hash}); restore the journal from a copy, or import the run again`,
      { details: { location, hash } },
    );
  };
}

/** Reads a stored text. Throws STORE_FAILED when the journal answers with anything but a text or undefined, such as a promise. */
export function storedText(journal: Pick<Journal, 'location' | 'content'>, hash: ContentHash): string | undefined {
  const text: unknown = journal.content(hash);
  if (text === undefined || typeof text === 'string') return text;
  // The rejection of this unused promise must not end the process.
  if (text instanceof Promise) text.catch(() => undefined);
  throw new CadreError(
    'STORE_FAILED',
    `${journal.location}: the store's content() must return a text or undefined, not a promise; it returned ${text instanceof Promise ? 'a promise' : typeof text}`,
  );
}
