import type { Lease } from '../../core/events/journal.ts';

/**
 * Leases that journals of this process gave up but could not clear in their files, as on a full disk. Shared by all engines of the
 * process: an engine opened later must not find a run locked by its own process. An entry is removed with its lease.
 */
// Not state of a run: leases that this process has given up.
const givenUp = new Set<string>();

/** Notes that a lease is no longer used although its file still holds it. */
export function noteGivenUp(file: string, lease: Lease): void {
  givenUp.add(keyOf(file, lease));
}

/** True when this process has given up a lease. */
export function isGivenUp(file: string, lease: Lease): boolean {
  return givenUp.has(keyOf(file, lease));
}

/** Removes a note once the file is up to date or another owner holds the run. */
export function forgetGivenUp(file: string, lease: Lease): void {
  givenUp.delete(keyOf(file, lease));
}

function keyOf(file: string, { runId, owner, epoch }: Lease): string {
  return JSON.stringify([file, runId, owner, epoch]);
}
