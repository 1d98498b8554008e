import type { Clock } from '../../core/clock.ts';
import { CadreError } from '../../core/error.ts';
import type { SharedJournal } from '../../core/events/journal.ts';

/** Milliseconds by which the clock of a worker may differ from that of the journal. */
const mostSkewMs = 60_000;

/**
 * Throws RUNTIME_FAILED when the clock of this machine is minutes away from that of the journal: deadlines of runs are times, and would come due
 * early or late wherever this worker sets or applies one.
 */
export async function assertClock(shared: SharedJournal, clock: Clock, location: string): Promise<void> {
  const before = clock.now();
  const theirs = await shared.now?.();
  const after = clock.now();
  if (theirs === undefined || (theirs > before - mostSkewMs && theirs < after + mostSkewMs)) return;
  const seconds = Math.round((before - theirs) / 1_000);
  throw new CadreError(
    'RUNTIME_FAILED',
    `the clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${location}: deadlines of runs would come due at wrong times. Set both by NTP, and start the worker again`,
    { details: { skewMs: before - theirs } },
  );
}
