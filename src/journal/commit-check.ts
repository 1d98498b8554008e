import { CadreError } from '../core/error.ts';
import { idPattern } from '../core/ids.ts';
import type { Commit, Lease } from '../core/events/journal.ts';
import { parseOwner, sharedPrefix, steerAtRuntime } from './leases/lease-owner.ts';
import { isOpenStatus } from './run-summary.ts';

/** Checks an id before it reaches a store; `what` names it in the message. Throws OPTION_INVALID. */
export function assertId(what: string, id: string): void {
  if (idPattern.test(id)) return;
  throw new CadreError(
    'OPTION_INVALID',
    `${what} ${JSON.stringify(id).slice(0, 120)} is not a valid id: 1 to 100 letters, digits, "_", "." or "-" are allowed`,
    { details: { what, id } },
  );
}

/** Checks the run id and owner of a lease request. Throws OPTION_INVALID. */
export function assertLeaseRequest(runId: string, owner: string): void {
  assertId('run id', runId);
  if (parseOwner(owner) !== undefined) return;
  throw new CadreError(
    'OPTION_INVALID',
    `lease owner ${JSON.stringify(owner).slice(0, 120)} must have the form <pid>@<host>#<nonce>`,
    {
      details: { owner },
    },
  );
}

/** Checks that a commit is consistent in itself, whatever the store holds. Throws OPTION_INVALID. */
export function assertCommit(lease: Lease, commit: Commit): void {
  assertId('run id', commit.runId);
  if (lease.runId !== commit.runId) {
    throw invalidCommit(commit, `the lease is for run ${lease.runId}; use the lease acquired for this run`);
  }
  if (!Number.isSafeInteger(commit.expectedSeq) || commit.expectedSeq < 0) {
    throw invalidCommit(commit, `expectedSeq is ${commit.expectedSeq}; it must be a whole number from 0`);
  }
  if (commit.events.length === 0) throw invalidCommit(commit, 'it has no events; append only when there is at least one');
  const { events } = commit;
  let seq = commit.expectedSeq;
  for (let index = 0; index < events.length; index += 1) {
    const event = events[index];
    seq += 1;
    if (event === undefined) throw invalidCommit(commit, `there is no event at seq ${seq}`);
    if (event.seq !== seq)
      throw invalidCommit(commit, `event ${event.type} has seq ${event.seq} where ${seq} follows; number events without gaps`);
    if (event.runId !== commit.runId)
      throw invalidCommit(commit, `event ${event.type} at seq ${seq} belongs to run ${event.runId}`);
  }
  for (const entry of commit.contents) assertId('content hash', entry.hash);
}

/** Checks that a range consists of whole numbers from 0, or Infinity. Throws OPTION_INVALID. */
export function assertRange(after: number, limit: number): void {
  if (isCount(after) && isCount(limit)) return;
  throw new CadreError(
    'OPTION_INVALID',
    `read asks for events after ${after}, at most ${limit}; both must be whole numbers from 0`,
    {
      details: { after, limit },
    },
  );
}

/** Error for an append whose expected sequence number is not the run's last one. */
export function staleSequence(location: string, commit: Commit, lastSeq: number): CadreError {
  return new CadreError(
    'STORE_CONFLICT',
    `${location}: run ${commit.runId} is at seq ${lastSeq}, but the commit expected ${commit.expectedSeq}; nothing was written. Read the run again before appending`,
    { details: { runId: commit.runId, expectedSeq: commit.expectedSeq, lastSeq } },
  );
}

/** Error for an append with an input that was applied before. */
export function appliedBefore(location: string, { runId }: Commit, input: string): CadreError {
  const message = `${location}: input ${input} of run ${runId} was applied before; nothing was written. Read the run again`;
  return new CadreError('STORE_CONFLICT', message, { details: { runId, input } });
}

/** Error for an append without the current lease. */
export function staleLease(
  location: string,
  lease: Lease,
  current: { readonly epoch: number; readonly owner: string | null },
): CadreError {
  const holder = current.owner === null ? 'no process holds it' : `${current.owner} holds it`;
  return new CadreError(
    'STORE_CONFLICT',
    `${location}: the lease of ${lease.owner} on run ${lease.runId} (epoch ${lease.epoch}) is over, now ${holder} (epoch ${current.epoch}); nothing was written. Stop this run here`,
    {
      details: {
        runId: lease.runId,
        owner: lease.owner,
        epoch: lease.epoch,
        currentOwner: current.owner,
        currentEpoch: current.epoch,
      },
    },
  );
}

/** Error for reading a run that does not exist. */
export function unknownRun(location: string, runId: string): CadreError {
  return new CadreError('RUN_UNKNOWN', `${location}: there is no run ${runId}; list the runs to see which there are`, {
    details: { runId },
  });
}

/**
 * Error for acquiring a run that another process holds. `since` is in milliseconds since 1970. `knownInMs` is given while it is
 * unknown whether the holder is alive: the most milliseconds until it is known.
 */
export function lockedRun(
  location: string,
  runId: string,
  { owner, since, knownInMs }: { readonly owner: string; readonly since: number; readonly knownInMs?: number | undefined },
): CadreError {
  const held = `${location}: run ${runId} is being advanced by ${owner} since ${timeText(since)}`;
  const takeOver = 'take the run over (takeOver; cadre resume --take-over)';
  const wait = owner.startsWith(sharedPrefix) ? steerAtRuntime : 'wait until it releases the run, end that process';
  const message =
    knownInMs === undefined
      ? `${held}; ${wait}, or ${takeOver}`
      : `${held}, and that process is not visible from here. It was asked for a sign of life; without one the run is free in ${Math.ceil(knownInMs / 1_000)} s. Try again then, or ${takeOver}`;
  const details = { runId, owner, since, ...(knownInMs === undefined ? {} : { knownInMs }) };
  return new CadreError('RUN_LOCKED', message, { details });
}

/** Formats a time; a damaged file may hold any number. */
function timeText(at: number): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : 'an invalid time';
}

/** Refuses to delete a run that a process holds. */
export function assertMayDelete(
  location: string,
  runId: string,
  holder: { readonly owner: string; readonly since: number } | undefined,
): void {
  if (holder === undefined) return;
  throw new CadreError(
    'RUN_LOCKED',
    `${location}: run ${runId} is still open and held by ${holder.owner}; cancel it before deleting it. Nothing was deleted`,
    { details: { runId, owner: holder.owner, since: holder.since } },
  );
}

/** A run that is to be erased. */
interface ErasedRun {
  readonly status: string;
  readonly isDeleted: boolean;
  readonly holder: { readonly owner: string; readonly since: number } | undefined;
}

/** Refuses to erase a run that is open and not deleted, or that a process holds. */
export function assertMayErase(location: string, runId: string, { status, isDeleted, holder }: ErasedRun): void {
  if (isOpenStatus(status) && !isDeleted)
    throw new CadreError(
      'RUN_LOCKED',
      `${location}: run ${runId} is ${status}; only a run that has ended or is deleted can be erased. Nothing was erased`,
      { details: { runId, status } },
    );
  if (holder === undefined) return;
  throw new CadreError(
    'RUN_LOCKED',
    `${location}: run ${runId} is held by ${holder.owner}; erase it when that process has released it. Nothing was erased`,
    { details: { runId, owner: holder.owner, since: holder.since } },
  );
}

/** Error for acquiring a deleted run. */
export function deletedRun(location: string, runId: string): CadreError {
  return new CadreError('RUN_DELETED', `${location}: run ${runId} is deleted; restore it to continue it (cadre restore ${runId})`, {
    details: { runId },
  });
}

/** Error for using a journal after `close`. */
export function closedJournal(location: string): CadreError {
  return new CadreError('STORE_FAILED', `${location}: the journal is closed; open it again`, { details: { location } });
}

function isCount(value: number): boolean {
  return value === Infinity || (Number.isSafeInteger(value) && value >= 0);
}

function invalidCommit(commit: Commit, why: string): CadreError {
  return new CadreError('OPTION_INVALID', `commit to run ${commit.runId} after seq ${commit.expectedSeq}: ${why}`, {
    details: { runId: commit.runId, expectedSeq: commit.expectedSeq },
  });
}
