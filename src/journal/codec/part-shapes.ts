import { attempt, errorRecord, inboxItem, usage } from '../../core/events/common-parts.ts';
import { patch } from '../../core/events/team-parts.ts';
import {
  decidedAction,
  observerRecord,
  reply,
  replyToolCall,
  reserve,
  ruleRecord,
  turnInput,
  turnPrompt,
} from '../../core/events/turn-parts.ts';
import type { Patch } from '../../core/patches/patch.ts';
import { optional, record } from '../../core/schema/records.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { json } from '../../core/schema/values.ts';
import { packFrame, unpackFrame } from './frame-forms.ts';
import {
  always,
  defineShape,
  isRecord,
  noList,
  type Derived,
  type Extras,
  type Guess,
  type PlainRecord,
  type Shape,
} from './record-shape.ts';

/*
 * Stored form of the parts of events, besides the short keys in their schemas (core/events/*-parts.ts). These tables are part of the file
 * layout: without a migration, a guess never changes its value. They must not depend on anything outside this folder's own constants.
 */

// Holds no state of a run: filled while this module loads, never after.
const shapes = new Map<Schema, Shape>();

function define<T>(schema: Schema<T>, extras: Extras<T> = {}): Shape {
  const shape = defineShape(schema, extras, partShape);
  shapes.set(schema, shape);
  return shape;
}

/** Returns the shape of a part; undefined for a value that is stored as it is. */
export function partShape(schema: Schema): Shape | undefined {
  return shapes.get(schema);
}

define(errorRecord);
define(usage);
define(reserve);

define(attempt, {
  fields: { startedAt: { kind: 'time' } },
  guesses: {
    model: (_, context) => context.modelId,
    ms: ({ startedAt }, context) => (typeof startedAt === 'number' ? context.at - startedAt : undefined),
  },
});

define(replyToolCall, {
  guesses: { wireName: (call) => call['name'] },
  note: (call, context) => context.calls.add(call.callId, call),
});

define(reply, {
  guesses: {
    reasoning: always(''),
    toolCalls: noList,
    finishReason: ({ toolCalls }) => (Array.isArray(toolCalls) && toolCalls.length > 0 ? 'tool-calls' : 'stop'),
  },
  // The tool calls are noted for the requests that follow.
  note: ({ modelId }, context) => {
    context.modelId = modelId;
  },
});

define(observerRecord, {
  guesses: { phase: (_, context) => (context.type === 'turn.start' ? 'pre' : 'post'), fired: always(false) },
});

/**
 * Rules of a profile that declares none (profiles/compile/flow/compile-decider.ts). Stored by index: append new ones, never remove one.
 */
const defaultRules = ['default_continue_with_tool', 'default_end', 'default_ask_again', 'default_ask_for_less'];

const ruleNumber: Derived = {
  short: 'n',
  pack: (id) => {
    const at = defaultRules.indexOf(String(id));
    return at < 0 || typeof id !== 'string' ? undefined : at;
  },
  unpack: (at) => defaultRules[Number(at)],
};

define(ruleRecord, {
  fields: { id: { derived: ruleNumber } },
  guesses: { matched: always(false) },
  note: ({ id, matched }, context) => {
    if (matched === true) context.ruleId = id;
  },
});

define(decidedAction, {
  guesses: {
    type: (_, context) => (context.calls.size > 0 ? 'continue_with_tool' : undefined),
    ruleId: (_, context) => context.ruleId,
  },
});

define(turnPrompt, { guesses: { from: always(0) } });

define(patch, { guesses: { op: always('replace') }, note: (change, context) => context.patches.push(change) });

const undoing = { add: 'remove', remove: 'add', replace: 'replace' } as const;

/** Inverse patches, which are stored in reverse order. */
export const inversePatch: Shape = defineShape<Patch>(
  patch,
  {
    guesses: {
      op: (_, context) => undoing[context.patches.at(-1)?.op ?? 'replace'],
      path: (_, context) => context.patches.at(-1)?.path,
    },
    note: (_, context) => {
      context.patches.pop();
    },
  },
  partShape,
);

/** Payload of a result item, which repeats the preceding `tool.end`. */
interface ToolResultPayload {
  readonly tool_name?: unknown;
  readonly tool_call_id?: unknown;
  readonly is_error?: unknown;
  readonly content?: unknown;
  readonly trust?: unknown;
}

const resultPayload = record<ToolResultPayload>(
  {
    tool_name: optional(json),
    tool_call_id: optional(json),
    is_error: optional(json),
    content: optional(json),
    trust: optional(json),
  },
  { tool_name: 'n', tool_call_id: 'k', is_error: 'e', content: 'x' },
);

const resultExtras: Extras<ToolResultPayload> = {
  guesses: {
    tool_call_id: (_, context) => context.ends.at(context.results)?.callId,
    tool_name: ({ tool_call_id: callId }, context) => context.requests.get(callId)?.name,
    is_error: ({ tool_call_id: callId }, context) => {
      const end = context.ends.get(callId);
      return end === undefined ? undefined : end.status !== 'ok';
    },
    content: ({ tool_call_id: callId }, context) => context.ends.get(callId)?.content,
  },
  note: (_, context) => {
    context.results += 1;
  },
};

const toolResult = defineShape(resultPayload, resultExtras, partShape);
/** Result of an untrusted tool, the usual case. */
const untrustedResult = defineShape(
  resultPayload,
  { ...resultExtras, guesses: { ...resultExtras.guesses, trust: always('untrusted') } },
  partShape,
);

const isResult = (item: Readonly<PlainRecord>): boolean => item['source'] === 'TOOL_RESULT';

define(inboxItem, {
  fields: {
    payload: {
      variants: [
        { short: 'j', shape: untrustedResult, applies: ({ trust }, item) => isResult(item) && trust === 'untrusted' },
        { short: 't', shape: toolResult, applies: (_, item) => isResult(item) },
      ],
    },
  },
  guesses: { source: always('TOOL_RESULT'), consumption: always('consume_on_read'), delivery: always('next') },
  note: (item, context) => context.items.add(item.itemId, item),
});

/* Input of a turn, which mostly repeats its item. */
define(turnInput, {
  fields: {
    content: {
      derived: {
        short: 'y',
        pack: (value, { itemId, wireName }, context) => packFrame(value, textOf(context.items.get(itemId)?.payload), wireName),
        unpack: (stored, { itemId, wireName }, context) =>
          unpackFrame(stored, textOf(context.items.get(itemId)?.payload), wireName),
      },
    },
  },
  guesses: {
    itemId: (_, context) => context.items.at(context.reads)?.itemId,
    source: ({ itemId }, context) => context.items.get(itemId)?.source,
    strategy: always('global'),
    ingestor: ({ source }) => (source === 'TOOL_RESULT' ? 'tool_result' : source === 'USER_PROMPT' ? 'user_prompt' : undefined),
    mode: always('append_as_new_message'),
    role: ({ source }) => (source === 'TOOL_RESULT' ? 'tool' : 'user'),
    persistent: always(true),
    content: ({ itemId }, context) => textOf(context.items.get(itemId)?.payload),
    callId: fromResult('tool_call_id'),
    wireName: fromResult('tool_name'),
    isError: (input, context) => fromResult('is_error')(input, context) === true || undefined,
  },
  note: (_, context) => {
    context.reads += 1;
  },
});

/** Returns the text that a pass-through ingestor makes of a payload. */
function textOf(payload: unknown): unknown {
  return isRecord(payload) ? (payload['prompt'] ?? payload['content']) : payload;
}

function fromResult(key: keyof ToolResultPayload): Guess {
  return ({ itemId, source }, context) => {
    const payload = source === 'TOOL_RESULT' ? context.items.get(itemId)?.payload : undefined;
    return isRecord(payload) ? payload[key] : undefined;
  };
}
