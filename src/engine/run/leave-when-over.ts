import type { Lease } from '../../core/events/journal.ts';
import type { Leases } from '../recovery/leases.ts';
import type { Run } from '../run.ts';
import type { RunActor } from './run-actor.ts';

/** A live run, and what its engine holds for it. */
export interface LeavingParts {
  readonly run: Run;
  readonly actor: RunActor;
  readonly lease: Lease;
  readonly leases: Leases;
  /** Leases of runs that have ended and may still get late results. */
  readonly ended: Set<Lease>;
  /** Takes the run out of those that are live. */
  readonly forget: () => void;
}

/** Gives back what an engine holds for a run: resolves once it has ended and nothing more can come, or has halted. Never rejects. */
export async function leaveWhenOver({ run, actor, lease, leases, ended, forget }: LeavingParts): Promise<void> {
  try {
    await run.result;
  } catch {
    // A run that has halted cannot go on here: the next who resumes it, in this process or another, must not find it held.
    if (actor.halted !== undefined) await leases.giveBack(lease);
    forget();
    return;
  }
  await actor.whenIdle();
  forget();
  // A tool that was given up may still bring a late result, which needs the lease to be recorded.
  ended.add(lease);
  await actor.whenDetachedSettled();
  if (ended.delete(lease)) await leases.giveBack(lease);
}
