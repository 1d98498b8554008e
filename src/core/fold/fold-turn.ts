import { CadreError } from '../error.ts';
import type { TurnEvents } from '../events/journal.ts';
import { messagesOfInputs } from '../prompt/prompt.ts';
import type { EventOf } from '../events/event.ts';
import type { RunContext } from '../state/run-context.ts';
import { agentOf } from './agent.ts';
import { applyEvent, startRun } from './apply-event.ts';
import { noteChange } from './turn.ts';

/**
 * Folds the events that one turn's record is made of. The turn, and those its prompt shows, are in the state it gives as they are in that
 * of the whole run; totals, inboxes and values are not. Undefined where something they need is not among the events.
 */
export function foldTurn(slice: TurnEvents): RunContext | undefined {
  try {
    return foldSlice(slice);
  } catch (thrown) {
    // What speaks of something outside of the slice: the whole run says what it is, or that it is damaged.
    if (thrown instanceof CadreError && thrown.code === 'STORE_CORRUPT') return undefined;
    throw thrown;
  }
}

function foldSlice({ turnId, events, beginsWith }: TurnEvents): RunContext | undefined {
  const [first] = events;
  if (first?.type !== 'run.start') return undefined;
  const run = startRun(first, 'everything');
  for (const event of events.slice(1)) {
    if (event.type === 'turn.start') {
      const isFirst = event.turnId === beginsWith;
      if (isFirst) countFrom(run, event);
      applyEvent(run, event);
      if (!isWhole(run, event, isFirst)) return undefined;
    } else if (event.type === 'state.patch' || event.type === 'state.update') noteChange(run, event);
    else applyEvent(run, event);
  }
  const turn = run.turns.get(turnId);
  const before = turn?.start.sourceTurnIds[0];
  // How far the baton reaches back is told by the turn before.
  const isBatonHere = before === undefined || run.turns.has(before) || !before.startsWith(`${turn?.agentId ?? ''}.`);
  return turn !== undefined && isBatonHere ? run : undefined;
}

/** The history goes on where this turn's prompt says that it ended before. */
function countFrom(run: RunContext, { agentId, turnId, inputs, prompt }: EventOf<'turn.start'>): void {
  agentOf(run, agentId).history.released = (prompt?.to ?? 0) - messagesOfInputs(inputs, turnId).length;
}

/** True when a turn found all it read, and its prompt counts messages as the history does. */
function isWhole(run: RunContext, { agentId, turnId, prompt }: EventOf<'turn.start'>, isFirst: boolean): boolean {
  const {
    history: { released, messages },
  } = agentOf(run, agentId);
  if (prompt !== undefined && prompt.to !== released + messages.length) return false;
  return isFirst || run.turns.get(turnId)?.items.includes(undefined) === false;
}
