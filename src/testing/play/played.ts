import type { CadreEvent } from '../../core/events/event.ts';
import { applyEvent, foldEvents } from '../../core/fold/apply-event.ts';
import type { ContentHash, TurnId } from '../../core/ids.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { prepStart } from '../../inspect/rerender/prep-start.ts';
import type { TurnRecord } from '../../inspect/turn/turn-record.ts';

/** What came of a case: the events of its run, and the state after them. */
export interface Played {
  readonly set: ProfileSet;
  readonly events: readonly CadreEvent[];
  readonly state: RunContext;
  readonly content: (hash: ContentHash) => string | undefined;
}

/** What came of one turn. */
export interface PlayedTurn extends Played {
  readonly record: TurnRecord;
  /** The events of the turn, from its pre-turn observers to the end of its agent, if it ended. */
  readonly own: readonly CadreEvent[];
}

/** What came of a run. */
export interface PlayedRun extends Played {
  readonly turns: readonly TurnRecord[];
  /** Steps of people that were not needed. */
  readonly unusedSteps: number;
}

/** The events of a turn among those of its run. */
export interface TurnSpan {
  /** Number of events before its pre-turn observers. */
  readonly from: number;
  /** Number of events up to its end, and that of its agent. */
  readonly to: number;
}

/** Events that may follow a turn's end directly and belong to it. */
const concluding: ReadonlySet<CadreEvent['type']> = new Set(['agent.end', 'agent.await', 'run.end', 'run.status']);

/** Finds the events of a turn, which began. Without an end, it reaches to the last event. */
export function spanOf(events: readonly CadreEvent[], turnId: TurnId): TurnSpan {
  const start = events.findIndex((event) => event.type === 'turn.start' && event.turnId === turnId);
  const from = prepStart(events, start);
  const end = events.findIndex((event) => event.type === 'turn.end' && event.turnId === turnId);
  if (end < 0) return { from, to: events.length };
  const next = events.findIndex(({ type }, index) => index > end && !concluding.has(type));
  return { from, to: next < 0 ? events.length : next };
}

/** Returns the state after the first `count` events, with all of its past. */
export function stateAfter(events: readonly CadreEvent[], count: number): RunContext {
  const state = foldEvents(events.slice(0, 1), 'everything');
  if (state === undefined) throw new Error('the events of a case do not begin with run.start');
  for (const event of events.slice(1, count)) applyEvent(state, event);
  return state;
}
