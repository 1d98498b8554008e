import type { ErrorRecord } from '../../core/error.ts';
import type { EventOf } from '../../core/events/event.ts';
import type { ModelAttempt, Usage } from '../../core/model/model.ts';
import type { ReplyToolCall } from '../../core/state/turn.ts';
import { always, defineShape, noList } from './record-shape.ts';

/* These tables are part of the file layout: see event-shapes.ts. */

/** Errors as data. */
export const error = defineShape<ErrorRecord>({ fields: { code: 'c', message: 'm' } });

/** Token counts. */
export const usage = defineShape<Usage>({
  fields: { inputTokens: 'i', outputTokens: 'o', cacheReadTokens: 'c', cacheWriteTokens: 'w', reasoningTokens: 'r' },
});

/** Attempts of a model call. */
export const attempt = defineShape<ModelAttempt>({
  fields: {
    config: 'c',
    model: 'm',
    startedAt: { short: 's', kind: 'time' },
    ms: 'd',
    firstTokenMs: 'f',
    error: { short: 'e', shape: error },
    partialText: 'p',
    waitMs: 'w',
    queuedMs: 'q',
  },
  guesses: {
    model: (_, context) => context.modelId,
    ms: ({ startedAt }, context) => (typeof startedAt === 'number' ? context.at - startedAt : undefined),
  },
});

const call = defineShape<ReplyToolCall>({
  fields: {
    callId: 'k',
    providerCallId: 'p',
    wireId: 't',
    name: 'n',
    wireName: 'w',
    input: 'i',
    providerOptions: 'o',
    problem: 'm',
  },
  guesses: { wireName: (record) => record['name'] },
  note: (record, context) => context.calls.add(record.callId, record),
});

/** A model's reply; notes its tool calls for the requests that follow. */
export const reply = defineShape<NonNullable<EventOf<'model.end'>['reply']>>({
  fields: {
    text: 'x',
    reasoning: 'r',
    reasoningParts: 'p',
    files: 'f',
    toolCalls: { short: 'k', shape: call },
    finishReason: 'e',
    modelId: 'm',
    said: 's',
  },
  guesses: {
    reasoning: always(''),
    toolCalls: noList,
    finishReason: ({ toolCalls }) => (Array.isArray(toolCalls) && toolCalls.length > 0 ? 'tool-calls' : 'stop'),
  },
  note: (record, context) => {
    context.modelId = record.modelId;
  },
});
