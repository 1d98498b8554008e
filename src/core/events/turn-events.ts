import { list, optional, record } from '../schema/records.ts';
import { count, number, oneOf, text } from '../schema/values.ts';
import { attempts, callId, errorRecord, turnId, usage, use } from './common-parts.ts';
import { defineEvent, type DraftOf, ofAgent, ofTurn } from './define-event.ts';
import { oneLine } from './one-line.ts';
import {
  decidedAction,
  observerRecord,
  reply,
  type ReplyRecord,
  reserve,
  ruleRecord,
  turnInput,
  turnPrompt,
} from './turn-parts.ts';

export const turnStart = defineEvent('turn.start', {
  about: 'A turn begins; this commit consumes the items that it read (I2).',
  code: 't<',
  subject: ofTurn,
  fields: {
    turnType: oneOf('agent', 'user', 'dispatch', 'aggregation', 'restart'),
    flowId: text,
    sourceTurnIds: list(turnId),
    sourceToolCallId: optional(callId),
    inputs: list(turnInput),
    observers: list(observerRecord),
    /** Absent for turns without a model call. */
    prompt: optional(turnPrompt),
    /** Upper bound of its model call, reserved in every budget that the agent draws on. */
    reserve: optional(reserve),
    /** The agent nears (1) or has reached (2) a limit; a turn at stage 2 is its last and has no tools. */
    limit: optional(record<{ readonly stage: 1 | 2; readonly reason: string }>({ stage: oneOf(1, 2), reason: text })),
  },
  keys: {
    turnType: 'y',
    flowId: 'f',
    sourceTurnIds: 's',
    sourceToolCallId: 't',
    inputs: 'n',
    observers: 'o',
    prompt: 'p',
    reserve: 'r',
  },
  describe: (event) => `${event.turnId} began and read ${event.inputs.map(({ source }) => source).join(', ') || 'nothing'}`,
});

export const modelReserve = defineEvent('model.reserve', {
  about:
    'What attempts of a model call used is charged: before a further one, which is reserved or refused; when its engine closes or is gone; and when its turn is over.',
  code: 'm+',
  subject: ofAgent,
  fields: {
    /** Id of the turn or the compaction, or `title`. */
    call: text,
    /** Attempts that are over; the end of the call lists them again. */
    attempts,
    /** Upper bound of the next attempt. Absent when none begins yet. */
    reserve: optional(reserve),
    /** The limit that the next attempt does not fit into, if any. */
    error: optional(errorRecord),
    /** The estimate of a call that is over, which these attempts replace. */
    replaces: optional(use),
  },
  keys: { call: 'l', attempts: 't', reserve: 'r', error: 'e', replaces: 's' },
  describe: ({ call, attempts: { length }, reserve: reserved, error }) => {
    if (error !== undefined) return `${length === 0 ? 'an' : 'another'} attempt of ${call} is refused: ${error.message}`;
    if (reserved === undefined) return `${length} ${length === 1 ? 'attempt' : 'attempts'} of ${call} charged`;
    return `${length === 0 ? 'an' : 'another'} attempt of ${call} may use ${reserved.tokens} tokens`;
  },
});

export const modelEnd = defineEvent('model.end', {
  about: 'A model call ends in a reply or an error.',
  code: 'm>',
  subject: ofTurn,
  fields: {
    reply: optional(reply),
    error: optional(errorRecord),
    usage,
    cost: optional(number),
    attempts,
    /** Number of its first attempts that `model.reserve` charged. */
    charged: optional(count),
    /** Untrusted sources of the texts that a planner filled in from state. */
    taint: optional(list(text)),
  },
  keys: { reply: 'r', error: 'e', usage: 'g', cost: 'o', attempts: 't', charged: 'h' },
  describe: (event) => {
    if (event.error?.code === 'MODEL_INTERRUPTED') return 'the model call was interrupted';
    return event.reply === undefined
      ? `the model call failed: ${event.error?.message ?? 'no reply'}`
      : `the model replied: ${replyInOneLine(event.reply)}`;
  },
});

export const turnDecide = defineEvent('turn.decide', {
  about: 'The flow decider has decided.',
  code: 't?',
  subject: ofTurn,
  fields: { observers: list(observerRecord), rules: list(ruleRecord), action: decidedAction },
  keys: { observers: 'o', rules: 'r', action: 't' },
  describe: ({ turnId: turn, action: { type, ruleId } }) =>
    `${turn} was decided: ${type}${ruleId === undefined ? '' : ` (rule ${ruleId})`}`,
});

export const turnEnd = defineEvent('turn.end', {
  about: 'A turn is over: its model call and all its tool calls have ended.',
  code: 't>',
  subject: ofTurn,
  fields: {
    status: oneOf('completed', 'error', 'cancelled', 'interrupted'),
    error: optional(errorRecord),
    /** Use of its model call, when that has no outcome on record: counted until its attempts are known. */
    estimate: optional(use),
  },
  keys: { status: 's', error: 'e', estimate: 'i' },
  describe: (event) => `${event.turnId} ended ${event.status}`,
});

function replyInOneLine({ text: said, toolCalls }: ReplyRecord): string {
  const calls = toolCalls.map(({ name }) => name).join(', ');
  return [oneLine(said), calls === '' ? '' : `calls ${calls}`].filter((part) => part !== '').join('; ');
}

export type TurnStart = DraftOf<typeof turnStart>;
export type ModelReserve = DraftOf<typeof modelReserve>;
export type ModelEnd = DraftOf<typeof modelEnd>;
export type TurnDecide = DraftOf<typeof turnDecide>;
export type TurnEnd = DraftOf<typeof turnEnd>;
