import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { Journal } from '../../core/events/journal.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import { hasReleased } from '../../core/fold/release.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { turnOfId } from '../../inspect/turn/other-turns.ts';

/**
 * Returns a run's state with all of its past, read from the journal where it was released; `known` is returned while it is up to date. An
 * asynchronous journal cannot be read here: then it is the state as given.
 */
export function fullStateOf(state: RunContext, journal: Journal, known: RunContext | undefined): RunContext {
  if (!hasReleased(state)) return state;
  if (known?.seq === state.seq) return known;
  const events = eventsAtHand(journal, state.meta.runId);
  return (events === undefined ? undefined : foldEvents(events, 'everything')) ?? state;
}

/** Returns the events of a run if its journal answers at once; undefined for one that must be waited for, such as a server's. */
export function eventsAtHand(journal: Journal, runId: RunId): readonly CadreEvent[] | undefined {
  const events = journal.read(runId);
  if (!(events instanceof Promise)) return events;
  // Not awaited: the failure to read these must not end the process.
  events.catch(() => undefined);
  return undefined;
}

/** Returns a turn of a run; undefined when it never was. Throws STORE_FAILED when it may be one that memory let go. */
export function turnInMemory(run: RunContext, turnId: string, { location }: Journal): TurnState | undefined {
  const turn = turnOfId(run, turnId);
  if (turn !== undefined || !hasReleased(run)) return turn;
  throw new CadreError(
    'STORE_FAILED',
    `run ${run.meta.runId}: no turn '${turnId}' in memory, which holds the newest 128 of each agent, and ${location} cannot be read at once; open the run with engine.open once it has ended`,
    { details: { location, isLetGo: true } },
  );
}
