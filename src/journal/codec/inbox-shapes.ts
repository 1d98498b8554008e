import type { InboxItem } from '../../core/inbox/inbox.ts';
import type { TurnInput } from '../../core/state/turn.ts';
import { packFrame, unpackFrame } from './frame-forms.ts';
import { always, defineShape, isRecord, type Guess, type PlainRecord, type ShapeParts } from './record-shape.ts';

/* These tables are part of the file layout: see event-shapes.ts. */

/** Payload of a result item, which repeats the preceding `tool.end`. */
interface ToolResultPayload {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly is_error: boolean;
  readonly content: unknown;
  readonly trust: unknown;
}

const toolResultParts: ShapeParts<ToolResultPayload> = {
  fields: { tool_name: 'n', tool_call_id: 'k', is_error: 'e', content: 'x' },
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

const toolResult = defineShape(toolResultParts);

/** Result of an untrusted tool, the usual case. */
const untrustedResult = defineShape<ToolResultPayload>({
  ...toolResultParts,
  guesses: { ...toolResultParts.guesses, trust: always('untrusted') },
});

const isResult = (record: Readonly<PlainRecord>): boolean => record['source'] === 'TOOL_RESULT';

/** Inbox items; a result item repeats the preceding `tool.end`. */
export const item = defineShape<InboxItem>({
  fields: {
    itemId: 'i',
    source: 's',
    payload: {
      short: 'p',
      variants: [
        { short: 'j', shape: untrustedResult, applies: ({ trust }, record) => isResult(record) && trust === 'untrusted' },
        { short: 't', shape: toolResult, applies: (_, record) => isResult(record) },
      ],
    },
    consumption: 'c',
    delivery: 'd',
    priority: 'r',
    maxTurns: 'm',
    ingestorId: 'n',
    ingestorParams: 'q',
    observerId: 'o',
    ruleId: 'u',
    from: 'f',
    repeats: 'w',
    trust: 'z',
    quotes: 'v',
  },
  guesses: { source: always('TOOL_RESULT'), consumption: always('consume_on_read'), delivery: always('next') },
  note: (record, context) => context.items.add(record.itemId, record),
});

/** Input of a turn, which mostly repeats its item. */
export const turnInput = defineShape<TurnInput>({
  fields: {
    itemId: 'i',
    source: 's',
    strategy: 'g',
    ingestor: 'n',
    mode: 'm',
    role: 'r',
    persistent: 'p',
    content: {
      short: 'x',
      derived: {
        short: 'y',
        pack: (value, { itemId, wireName }, context) => packFrame(value, textOf(context.items.get(itemId)?.payload), wireName),
        unpack: (stored, { itemId, wireName }, context) =>
          unpackFrame(stored, textOf(context.items.get(itemId)?.payload), wireName),
      },
    },
    callId: 'k',
    wireName: 'w',
    isError: 'e',
    noHandover: 'h',
    kept: 'l',
    untrusted: 'u',
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
    isError: (record, context) => fromResult('is_error')(record, context) === true || undefined,
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
