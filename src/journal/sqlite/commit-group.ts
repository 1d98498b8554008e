import { CadreError } from '../../core/error.ts';
import type { Commit, Lease } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';

/** A commit, under the lease of its run. */
export interface LeasedCommit {
  readonly lease: Lease;
  readonly commit: Commit;
}

/** Reason for refusing one commit of a group; undefined for one that is written. */
export type Refusal = { readonly error: unknown } | undefined;

/** How commits are written. */
export interface CommitWriting {
  /** Writes one commit. */
  readonly alone: (commit: LeasedCommit) => void | Promise<void>;
  /** Writes several in one transaction, each refused on its own. Throws when none is written. */
  readonly together: (commits: readonly LeasedCommit[]) => readonly Refusal[] | Promise<readonly Refusal[]>;
}

interface WaitingCommit extends LeasedCommit {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups the commits of many runs: one transaction per turn of the event loop takes them, with one lock, one write to the log and at most
 * one sync.
 *
 * 1. The commits of the run that comes first in a turn of the loop are written at once: a run alone never waits.
 * 2. Each commit is refused on its own. A transaction that fails as a whole is written again commit by commit, so that a full disk or a
 *    damaged page fails no more than it must.
 */
export class CommitGroup {
  readonly #writing: CommitWriting;
  #first: RunId | undefined;
  #waiting: WaitingCommit[] = [];

  constructor(writing: CommitWriting) {
    this.#writing = writing;
  }

  /** Writes a commit. Returns a promise when it is written with others at the end of this turn of the event loop. */
  append(leased: LeasedCommit): void | Promise<void> {
    const { runId } = leased.commit;
    if (this.#first === undefined) {
      this.#first = runId;
      setImmediate(this.#onTurnEnd);
    }
    if (this.#first === runId) return this.#writing.alone(leased);
    // Two commits of one run are in order, and never in one group.
    if (this.#waiting.some(({ commit }) => commit.runId === runId)) this.flush();
    return new Promise((resolve, reject) => this.#waiting.push({ ...leased, resolve, reject }));
  }

  /** Writes what waits. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length < 2) for (const one of waiting) void this.#alone(one);
    else void this.#together(waiting);
  }

  readonly #onTurnEnd = (): void => {
    this.#first = undefined;
    this.flush();
  };

  async #alone(one: WaitingCommit): Promise<void> {
    try {
      const written = this.#writing.alone(one);
      if (written !== undefined) await written;
      one.resolve();
    } catch (error) {
      one.reject(error);
    }
  }

  async #together(waiting: readonly WaitingCommit[]): Promise<void> {
    try {
      const written = this.#writing.together(waiting);
      settle(waiting, written instanceof Promise ? await written : written);
    } catch (error) {
      // A lock of another process stops each of them alike.
      if (isLocked(error)) for (const one of waiting) one.reject(error);
      else for (const one of waiting) void this.#alone(one);
    }
  }
}

function settle(waiting: readonly WaitingCommit[], refusals: readonly Refusal[]): void {
  for (const [index, one] of waiting.entries()) {
    const refusal = refusals[index];
    if (refusal === undefined) one.resolve();
    else one.reject(refusal.error);
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof CadreError && error.details['isLocked'] === true;
}
