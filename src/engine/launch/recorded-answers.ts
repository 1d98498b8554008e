import { CadreError } from '../../core/error.ts';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { TurnId } from '../../core/ids.ts';
import type { ModelOutcome } from '../../core/model/model.ts';

/** Answers that turns of a fork take from its original instead of calling a model. */
export type RecordedAnswers = ReadonlyMap<TurnId, ModelOutcome>;

/** Reads the recorded answers of turns. Fails with OPTION_INVALID for a turn that has none. */
export function recordedAnswers(events: readonly CadreEvent[], turnIds: readonly string[]): RecordedAnswers {
  const ends = new Map<string, EventOf<'model.end'>>();
  for (const event of events) if (event.type === 'model.end') ends.set(event.turnId, event);
  return new Map(
    turnIds.map((turnId) => {
      const end = ends.get(turnId);
      if (end?.reply === undefined)
        throw new CadreError('OPTION_INVALID', `engine.fork: recordedAnswers: there is no recorded reply of a turn '${turnId}'`);
      return [turnId as TurnId, toOutcome(end, end.reply)] as const;
    }),
  );
}

/** Returns the outcome that a `model.end` recorded. Calls get the same ids again, since ids follow from state. */
function toOutcome(
  { usage, cost, attempts }: EventOf<'model.end'>,
  reply: NonNullable<EventOf<'model.end'>['reply']>,
): ModelOutcome {
  const { toolCalls, shown: _, ...said } = reply;
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
