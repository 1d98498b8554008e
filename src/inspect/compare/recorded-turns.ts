import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { TurnId } from '../../core/ids.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { prepStart } from '../rerender/prep-start.ts';
import { decidedEvents, turnFacts, type TurnFacts } from '../rerender/turn-facts.ts';
import { turnCost } from '../turn/turn-cost.ts';
import type { TurnFigures } from './run-comparison.ts';

/** One turn as its journal has it, ready to be compared with a turn of another run. */
export interface RecordedTurn {
  readonly turnId: TurnId;
  readonly turn: TurnState;
  readonly facts: TurnFacts;
  readonly reply: string;
  /** Name, status and content of each result. */
  readonly results: readonly { readonly name: string; readonly text: string }[];
  readonly figures: TurnFigures;
}

/** Returns the turns of agents that called a model, in the order they began. */
export function recordedTurns(events: readonly CadreEvent[], run: RunContext): readonly RecordedTurn[] {
  const ends = new Map<TurnId, number>();
  events.forEach((event, index) => {
    if (event.type === 'model.end') ends.set(event.turnId, index);
  });
  return events.flatMap((event, index) => {
    if (event.type !== 'turn.start' || event.prompt === undefined) return [];
    const turn = run.turns.get(event.turnId);
    const end = ends.get(event.turnId);
    if (turn === undefined) return [];
    const post = end === undefined ? undefined : decidedEvents(events, end + 1, event.turnId);
    const facts = turnFacts({ prep: events.slice(prepStart(events, index), index), start: event, post });
    return [toRecorded(run, event, turn, facts)];
  });
}

function toRecorded(run: RunContext, { turnId, at }: EventOf<'turn.start'>, turn: TurnState, facts: TurnFacts): RecordedTurn {
  const { modelEnd, end, calls } = turn;
  const { reply, error, usage, attempts = [] } = modelEnd ?? {};
  const requested = (reply?.toolCalls ?? []).map(({ name, input }) => `${name}(${input})`);
  return {
    turnId,
    turn,
    facts,
    reply: error === undefined ? [reply?.text ?? '', ...requested].join('\n') : `${error.code}: ${error.message}`,
    results: calls.map(({ request, end: ended }) => ({
      name: request.name,
      text: ended === undefined ? '' : `${ended.status}: ${contentText(ended.content)}`,
    })),
    figures: {
      turnId,
      ms: end === undefined ? undefined : end.at - at,
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
      cost: turnCost(run, turn) ?? null,
      model: attempts.at(-1)?.model ?? reply?.modelId,
      decision: decisionName(facts),
      calls: calls.map(({ request }) => request.name),
    },
  };
}

function decisionName({ action }: TurnFacts): string {
  if (action === undefined) return 'none';
  return action.ruleId === undefined ? action.type : `${action.ruleId}: ${action.type}`;
}
