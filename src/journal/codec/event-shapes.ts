import type { PlaceId } from '../../core/events/define-event.ts';
import { eventDefinitions, type EventOf, type EventType } from '../../core/events/event.ts';
import { recordOf } from '../../core/schema/records.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { ReplyToolCall } from '../../core/state/turn.ts';
import type { CommitContext } from './commit-context.ts';
import { inversePatch, partShape } from './part-shapes.ts';
import { always, defineShape, noList, outerField, type Extras, type PlainRecord, type Shape } from './record-shape.ts';
import { readJson } from '../../core/read-json.ts';

/*
 * Stored form of each event type: the code and short keys of its definition (core/events), and what can be guessed of its fields. Codes,
 * short keys and guesses are part of the file layout: without a migration, none changes its meaning.
 */

/** What events of every turn need not store, since the events before them say it. An event without an entry is stored as it is. */
const guessed: { readonly [Type in EventType]?: Extras<EventOf<Type>> } = {
  'turn.start': {
    guesses: {
      turnType: always('agent'),
      flowId: (_, context) => (typeof context.agentId === 'string' ? `flow_${context.agentId}` : undefined),
      sourceTurnIds: (_, context) => (context.previousTurnId === undefined ? [] : [context.previousTurnId]),
      inputs: noList,
      observers: noList,
    },
  },
  'model.end': { guesses: { attempts: noList } },
  'turn.decide': { guesses: { observers: noList, rules: noList } },
  'tool.request': {
    guesses: {
      name: ({ callId }, context) => context.calls.get(callId)?.name,
      args: ({ callId }, context) => parsedInput(context.calls.get(callId)),
    },
    note: (event, context) => context.requests.add(event.callId, event),
  },
  'tool.start': {
    guesses: { attempt: always(1) },
    note: (_, context) => {
      context.starts += 1;
    },
  },
  'tool.end': { guesses: { status: always('ok') }, note: (event, context) => context.ends.add(event.callId, event) },
  'turn.end': { guesses: { status: always('completed') } },
  'state.patch': { fields: { inverse: { shape: inversePatch } } },
};

/** Stored form of one event type: `code` replaces its name, `ids` are guessed from the events before it. */
export interface EventShape {
  readonly type: string;
  readonly code: string;
  /** The code as JSON. */
  readonly label: string;
  readonly ids: readonly PlaceId[];
  readonly shape: Shape;
}

/** Short keys of an event's ids, which are stored with its place (event-codec.ts). */
export const idKeys: Readonly<Record<PlaceId, string>> = { agentId: 'a', turnId: 'u', callId: 'k' };
const placeKeys: ReadonlySet<string> = new Set(['d', 'c', ...Object.values(idKeys)]);
const placeFields = ['type', 'runId', 'seq', 'at', 'cause'] as const;

/** Returns the shape of an event's own fields, without those stored with its place. */
function ownFields(schema: Schema, ids: readonly PlaceId[], extras: Extras<PlainRecord> = {}): Shape {
  const shape = defineShape<PlainRecord>(schema as Schema<PlainRecord>, extras, partShape);
  const fields = new Map([...shape.fields, ...[...placeFields, ...ids].map((key) => [key, outerField(key)] as const)]);
  return { ...shape, fields, outer: { short: placeKeys } };
}

const shapes = [...eventDefinitions.values()].map(({ type, code, guessed: ids, schema }): EventShape => ({
  type,
  code,
  label: JSON.stringify(code),
  ids,
  shape: ownFields(schema, ids, guessed[type as EventType]),
}));
const unknownFields = ownFields(recordOf({}, {}), []);
const byType: ReadonlyMap<string, EventShape> = new Map(shapes.map((entry) => [entry.type, entry]));
const byCode: ReadonlyMap<string, EventShape> = new Map(shapes.map((entry) => [entry.code, entry]));

/** Returns the stored form of an event type; a type without a table keeps its name. */
export function shapeOfType(type: string): EventShape {
  return byType.get(type) ?? { type, code: `.${type}`, label: JSON.stringify(`.${type}`), ids: [], shape: unknownFields };
}

/** True when this version has a definition for events of the type. */
export function isKnownType(type: string): boolean {
  return byType.has(type);
}

/** Returns the shape of a stored code; undefined when there is none. */
export function shapeOfCode(code: string): EventShape | undefined {
  return byCode.get(code) ?? (code.startsWith('.') ? shapeOfType(code.slice(1)) : undefined);
}

/** Returns the id an event most likely has, given the events before it. */
export function likelyId(id: PlaceId, context: CommitContext): unknown {
  if (id !== 'callId') return context[id];
  if (context.type === 'tool.request') return context.calls.at(context.requests.size)?.callId ?? context.callId;
  if (context.type === 'tool.start') return context.requests.at(context.starts)?.callId ?? context.callId;
  return context.callId;
}

function parsedInput(found: Partial<ReplyToolCall> | undefined): unknown {
  if (typeof found?.input !== 'string') return undefined;
  try {
    const parsed: unknown = readJson(found.input);
    return parsed;
  } catch {
    return undefined;
  }
}
