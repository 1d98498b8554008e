import type { Journal } from '../../core/events/journal.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import { hasReleased } from '../../core/fold/release.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/**
 * Returns a run's state with all of its past, read from the journal where it was released; `known` is returned while it is up to date. An
 * asynchronous journal cannot be read here: then it is the state as given.
 */
export function fullStateOf(state: RunContext, journal: Journal, known: RunContext | undefined): RunContext {
  if (!hasReleased(state)) return state;
  if (known?.seq === state.seq) return known;
  const events = journal.read(state.meta.runId);
  return (events instanceof Promise ? undefined : foldEvents(events, 'everything')) ?? state;
}
