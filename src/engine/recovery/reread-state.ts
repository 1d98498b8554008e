import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunId } from '../../core/ids.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/**
 * Reads a run's state again after its store failed: synchronously when the journal answers so, else when it answers. If the store fails
 * again, the state stays: the error that halted the run already reports it.
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
