import type { Lease } from '../../core/events/journal.ts';

/**
 * Leases that journals of this process have given up and could not clear in their files, as on a full disk. A fact about the process, and
 * so of all its engines: without it, one that is opened later would find a run held by its own process. An entry goes with the lease.
 */
// Not state of a run: which leases this process has let go of.
const givenUp = new Set<string>();

/** Notes that a lease is not used any more although its file says so. */
export function noteGivenUp(file: string, lease: Lease): void {
  givenUp.add(keyOf(file, lease));
}

/** Tells whether this process has given a lease up. */
export function isGivenUp(file: string, lease: Lease): boolean {
  return givenUp.has(keyOf(file, lease));
}

/** The file says it by now, or somebody else holds the run. */
export function forgetGivenUp(file: string, lease: Lease): void {
  givenUp.delete(keyOf(file, lease));
}

function keyOf(file: string, { runId, owner, epoch }: Lease): string {
  return JSON.stringify([file, runId, owner, epoch]);
}
