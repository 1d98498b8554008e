import { CadreError } from '../../core/error.ts';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { TurnId } from '../../core/ids.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import { restOfCall } from '../../core/model/usage.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/** Answers that turns of a fork take from its original instead of calling a model. */
export type RecordedAnswers = ReadonlyMap<TurnId, ModelOutcome>;

/**
 * Reads the recorded answers of turns for a fork in `state`, without the attempts that are charged there. Fails with OPTION_INVALID for a turn
 * that has none.
 */
export function recordedAnswers(
  events: readonly CadreEvent[],
  turnIds: readonly string[],
  { chargedCalls }: Pick<RunContext, 'chargedCalls'>,
): RecordedAnswers {
  const ends = new Map<string, EventOf<'model.end'>>();
  for (const event of events) if (event.type === 'model.end') ends.set(event.turnId, event);
  return new Map(
    turnIds.map((turnId) => {
      const end = ends.get(turnId);
      if (end?.reply === undefined)
        throw new CadreError('OPTION_INVALID', `engine.fork: recordedAnswers: there is no recorded reply of a turn '${turnId}'`);
      const charged = chargedCalls.get(turnId)?.attempts.length ?? 0;
      return [turnId as TurnId, toOutcome({ ...end, charged }, end.reply)] as const;
    }),
  );
}

/** Returns the outcome that a `model.end` recorded. Calls get the same ids again, since ids follow from state. */
function toOutcome(end: EventOf<'model.end'>, reply: NonNullable<EventOf<'model.end'>['reply']>): ModelOutcome {
  const { toolCalls, shown: _, ...said } = reply;
  const { usage, cost } = restOfCall(end);
  const attempts = end.attempts.slice(end.charged ?? 0);
  return {
    kind: 'reply',
    reply: {
      ...said,
      toolCalls: toolCalls.map(({ providerCallId, wireName, input, providerOptions, problem }) => ({
        providerCallId,
        toolName: wireName,
        input,
        ...(providerOptions === undefined ? {} : { providerOptions }),
        ...(problem === undefined ? {} : { problem }),
      })),
    },
    usage,
    attempts,
    ...(cost === undefined ? {} : { cost }),
  };
}
