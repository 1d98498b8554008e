import { CadreError } from '../error.ts';
import type { CadreEvent } from './event.ts';
import type { ContentHash, RunId, TurnId } from '../ids.ts';

/** A value, or a promise of it: stores in the same process answer at once. */
export type Awaitable<T> = T | Promise<T>;

/** A text that is stored once, under its hash. */
export interface ContentEntry {
  readonly hash: ContentHash;
  readonly text: string;
}

/** Who may append to a run. A higher epoch fences off every lower one (I8). */
export interface Lease {
  readonly runId: RunId;
  readonly owner: string;
  readonly epoch: number;
}

/** One commit: events with consecutive sequence numbers, and the texts they refer to. */
export interface Commit {
  readonly runId: RunId;
  /** The sequence number before the first event of this commit; 0 for a new run. */
  readonly expectedSeq: number;
  readonly events: readonly CadreEvent[];
  readonly contents: readonly ContentEntry[];
  /** The commit must survive a power cut, not only a killed process. */
  readonly sync: boolean;
}

/** What a list of runs shows, kept up to date by each commit. */
export interface RunSummary {
  readonly runId: RunId;
  readonly title: string;
  readonly profile: string;
  /**
   * `running`; `awaiting` while a person must decide or answer; `idle` while it waits for a message; `completed`, `failed`, `cancelled`;
   * `damaged`.
   */
  readonly status: string;
  /** How many approvals and questions wait for a person; absent where the journal does not say, as in runs of earlier versions. */
  readonly pending?: number;
  readonly outcome?: string;
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
  /** It is not over, and no process has it: the one that had died, or closed its engine. Absent where a store cannot tell. */
  readonly isAbandoned?: true;
  /** It was read from a file, and never goes on. */
  readonly isImported?: true;
  /** The project it was put into. */
  readonly project?: string;
  /** When it was deleted, in milliseconds since 1970: it is in no list but that of the deleted ones. */
  readonly deletedAt?: number;
}

/** What people say of a run without changing it; what is not named stays, null takes it back. */
export interface RunMarks {
  readonly title?: string | null;
  readonly project?: string | null;
  readonly deletedAt?: number | null;
}

/** Which runs are listed; all that are not deleted, unless something is said. */
export interface RunsFilter {
  /** Only the run of this id, deleted or not. */
  readonly runId?: RunId;
  /** Only runs that are not over. */
  readonly isOpen?: true;
  /** Only runs of this project. */
  readonly project?: string;
  /** Only runs that are deleted. */
  readonly isDeleted?: true;
  /** Only so many, the newest. */
  readonly limit?: number;
}

/**
 * The events that the record of one turn is made of, where that is less than the whole run: those of its agent from some turn on, and
 * those that say which agents and profiles there are. Their sequence numbers have gaps.
 */
export interface TurnEvents {
  readonly turnId: TurnId;
  readonly events: readonly CadreEvent[];
  /** The turn that the agent's history is read from; undefined = it is read from its first message. */
  readonly beginsWith: TurnId | undefined;
  /** Any event of the run. */
  readonly eventAt: (seq: number) => CadreEvent | undefined;
  /** The cause of any event of the run, which costs less than the event. */
  readonly causeOf: (seq: number) => number | undefined;
}

/**
 * The port to where journals live.
 *
 * 1. `append` is atomic: all events and contents of a commit, or none.
 * 2. It fails with STORE_CONFLICT when the run's last sequence number is not `expectedSeq`, or the lease's epoch is stale.
 * 3. What `read` returns was appended, in order, without gaps; every event deep-equals the one appended.
 * 4. `content` answers at once: model calls and views are put together from stored texts without waiting. A store that is far
 *    away reads the texts of a run into memory in `acquire` or `read`.
 * 5. What `mark` says of a run is part of its summary at once. A run that is deleted is not acquired (RUN_DELETED); one that is open and
 *    held by somebody alive is not deleted (RUN_LOCKED).
 * 6. A newer schema is refused with STORE_NEWER, damage with STORE_CORRUPT, everything else with STORE_FAILED.
 */
export interface Journal {
  /** Where the journal is, for people: a path, or `memory`. */
  readonly location: string;
  /**
   * Takes the right to append to a run, or fails with RUN_LOCKED naming the holder. A holder that is gone is replaced. Where it cannot be
   * told yet whether it is, the error has `knownInMs` in its details: how long that takes at most; trying again is how it is told.
   */
  acquire(runId: RunId, owner: string): Awaitable<Lease>;
  /**
   * Tells whether a lease is still the run's, which another process may have taken over meanwhile: asked before something happens outside
   * that must not happen twice. A store may lack it.
   */
  holds?(lease: Lease): Awaitable<boolean>;
  /** Gives a run back. For this process it is free at once, also where the store can tell the others only later. */
  release(lease: Lease): Awaitable<void>;
  /** Asks holders that cannot be looked at for a sign of life: those that give none for a while are no holders in the list of runs. A store may lack it. */
  askHolders?(): Awaitable<void>;
  append(lease: Lease, commit: Commit): Awaitable<void>;
  /** Resolves once every commit appended so far survives a power cut; many at once cost one sync. A store without it syncs commit by commit. */
  sync?(): Awaitable<void>;
  /** Events with a sequence number above `after`, at most `limit`. RUN_UNKNOWN when there is no such run. */
  read(runId: RunId, options?: { readonly after?: number; readonly limit?: number }): Awaitable<readonly CadreEvent[]>;
  /**
   * What one turn's record is made of. `reference` is `last`, a whole id, or the end of exactly one. Undefined where that takes the whole
   * run, or the word names no turn or several. A store may lack it.
   */
  turnEvents?(runId: RunId, reference: string): Awaitable<TurnEvents | undefined>;
  /** A text as it was stored; undefined when there is none under this hash. Never a promise. */
  content(hash: ContentHash): string | undefined;
  /** Runs, the newest first. What a filter leaves out costs nothing, or next to nothing. */
  runs(filter?: RunsFilter): Awaitable<readonly RunSummary[]>;
  /** Says something of a run, whoever holds it: another title, a project, that it is deleted. RUN_UNKNOWN when there is no such run. A store may lack it. */
  mark?(runId: RunId, change: RunMarks): Awaitable<void>;
  close(): Awaitable<void>;
}

/** What of a journal is for reading. */
export type JournalReader = Pick<Journal, 'location' | 'read' | 'content' | 'runs'>;

/** Reads a stored text. Fails with STORE_FAILED when the journal answers with anything but a text or undefined, such as a promise. */
export function storedText(journal: Pick<Journal, 'location' | 'content'>, hash: ContentHash): string | undefined {
  const text: unknown = journal.content(hash);
  if (text === undefined || typeof text === 'string') return text;
  // A promise nobody waits for must not end the process when it is rejected.
  if (text instanceof Promise) text.catch(() => undefined);
  throw new CadreError(
    'STORE_FAILED',
    `${journal.location}: the store's content() must answer at once, with a text or undefined; it answered with ${text instanceof Promise ? 'a promise' : typeof text}`,
  );
}
