import type { Lease } from '../../core/events/journal.ts';
import type { Leases } from '../recovery/leases.ts';
import type { Run } from '../run.ts';
import type { RunActor } from './run-actor.ts';

/** A live run, and the resources that its engine holds for it. */
export interface LeavingParts {
  readonly run: Run;
  readonly actor: RunActor;
  readonly lease: Lease;
  readonly leases: Leases;
  /** Leases of runs that have ended and may still get late results. */
  readonly ended: Set<Lease>;
  /** Removes the run from the live ones. */
  readonly forget: () => void;
}

/**
 * Releases the resources that an engine holds for a run, once it has ended and no late result can come, or it has halted. Never rejects.
 */
export async function leaveWhenOver({ run, actor, lease, leases, ended, forget }: LeavingParts): Promise<void> {
  try {
    await run.result;
  } catch {
    // A halted run cannot go on here: the next process to resume it, or this one, must find its lease free.
    if (actor.halted !== undefined) await leases.giveBack(lease);
    forget();
    return;
  }
  await actor.whenIdle();
  forget();
  // An abandoned tool may still bring a late result, which needs the lease to be recorded.
  ended.add(lease);
  await actor.whenDetachedSettled();
  if (ended.delete(lease)) await leases.giveBack(lease);
}
