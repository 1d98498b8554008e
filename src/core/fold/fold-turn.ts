import { CadreError } from '../error.ts';
import type { TurnEvents } from '../events/journal.ts';
import { messagesOfInputs } from '../prompt/prompt.ts';
import type { EventOf } from '../events/event.ts';
import type { RunContext } from '../state/run-context.ts';
import type { TurnState } from '../state/turn-state.ts';
import { agentOf } from './folds.ts';
import { applyEvent, startRun } from './apply-event.ts';
import { noteChange } from './turn.ts';

/**
 * Folds the events of one turn's record. The turn and the turns its prompt shows are as in the state of the whole run; totals,
 * inboxes and values are not. Undefined when something they need is not among the events.
 */
export function foldTurn(slice: TurnEvents): RunContext | undefined {
  try {
    return foldSlice(slice);
  } catch (thrown) {
    // An event refers to something outside the slice: folding the whole run shows whether the journal is damaged.
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
  // The baton's turn is needed, too.
  const isBatonHere = before === undefined || run.turns.has(before) || !before.startsWith(`${turn?.agentId ?? ''}.`);
  return turn !== undefined && isBatonHere && !isCostOfRun(turn) ? run : undefined;
}

/** True when the cost of a turn is unknown where any of its run's is: it has only attempts that used nothing (`turnCost`). */
function isCostOfRun({ modelEnd, charged }: TurnState): boolean {
  if (modelEnd?.reply !== undefined) return false;
  const attempts = modelEnd?.attempts ?? charged?.attempts ?? [];
  return attempts.length > 0 && attempts.every(({ usage }) => (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) === 0);
}

/** Sets the position at which this turn's prompt says that the history ended before. */
function countFrom(run: RunContext, { agentId, turnId, inputs, prompt }: EventOf<'turn.start'>): void {
  agentOf(run, agentId).history.released = (prompt?.to ?? 0) - messagesOfInputs(inputs, turnId).length;
}

/** True when a turn's items are all present, and its prompt counts messages as the history does. */
function isWhole(run: RunContext, { agentId, turnId, prompt }: EventOf<'turn.start'>, isFirst: boolean): boolean {
  const {
    history: { released, messages },
  } = agentOf(run, agentId);
  if (prompt !== undefined && prompt.to !== released + messages.length) return false;
  return isFirst || run.turns.get(turnId)?.items.includes(undefined) === false;
}
