import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunId } from '../../core/ids.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/**
 * Reads a run's state again after its store failed: at once when the journal answers at once, else when it does. A store
 * that is gone altogether changes nothing; the error that halted the run says so already.
 */
export function rereadState(journal: Journal, runId: RunId, reset: (state: RunContext) => void): void {
  const take = (events: readonly CadreEvent[]): void => {
    const state = foldEvents(events);
    if (state !== undefined) reset(state);
  };
  const ignore = (): void => undefined;
  try {
    const events = journal.read(runId);
    if (events instanceof Promise) events.then(take).catch(ignore);
    else take(events);
  } catch {
    ignore();
  }
}
