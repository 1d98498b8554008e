import * as fc from 'fast-check';
import { frameUntrusted } from '../../src/core/untrusted/frame-untrusted.ts';
import * as parts from '../../src/core/events/common-parts.ts';
import { type CadreEvent, eventDefinitions } from '../../src/core/events/event.ts';
import { isOptional } from '../../src/core/schema/records.ts';
import type { Schema, SchemaFields } from '../../src/core/schema/schema.ts';
import type { JsonValue } from '../../src/core/json.ts';

/** Texts of every sort: words, controls, any UTF-16 unit (lone surrogates too), and characters with a meaning in the codec. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ maxLength: 8, unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '',
    '~',
    '!',
    '.x',
    '-',
    '__proto__',
    'null',
    '0',
    '\ud800',
    '\0',
    '{"q":"x"}',
    '{"__proto__":{"a":1}}',
    '[1]',
    'TOOL_RESULT',
  ),
);

/** JSON values, with keys that are property names of every object. */
export const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.integer({ min: -3, max: 3 }),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    object(tie('value')),
  ),
})).value;

function object<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  const key = fc.oneof(
    text,
    fc.constantFrom('prompt', 'content', 'tool_name', 'tool_call_id', 'is_error', 'constructor', 'toJSON', '__proto__'),
  );
  // `fromEntries` makes `__proto__` an own key.
  return fc.array(fc.tuple(key, value), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
}

// Small pools, so that the codec's guesses are right about as often as wrong.
const name = fc.constantFrom('search', 'read', '');
const source = fc.constantFrom('TOOL_RESULT', 'USER_PROMPT', 'OTHER');
const callIds = fc.constantFrom('c1', 'c2', 'c3');
const number = fc.oneof(
  fc.constantFrom(0, 1, 2),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0 || 0),
);
const content = fc.oneof(
  text,
  fc.array(fc.record({ type: fc.constant('text'), text }, { noNullPrototype: true }), { maxLength: 2 }),
);
const result = { tool_name: name, tool_call_id: callIds, is_error: fc.boolean(), content };
const payload = fc.oneof(
  json,
  text,
  fc.record(
    { ...result, extra: json },
    { requiredKeys: ['tool_name', 'tool_call_id', 'is_error', 'content'], noNullPrototype: true },
  ),
  fc.record({ content, prompt: text, tool_call_id: callIds }, { requiredKeys: ['content'], noNullPrototype: true }),
);
const framed = fc.tuple(text, name).map(([inside, from]) => frameUntrusted(inside, { from, nonce: 'abcdefghijk' }).content);
const input = fc.oneof(
  text,
  json.map((value) => JSON.stringify(value)),
);

/** Values of schemas that mean more than their form. */
const ofSchema: ReadonlyMap<Schema, fc.Arbitrary<unknown>> = new Map<Schema, fc.Arbitrary<unknown>>([
  [parts.content, content],
  [parts.errorCode, fc.constantFrom('TOOL_FAILED', 'INTERNAL')],
]);

/** Values of fields that the codec guesses from other events. */
const ofField: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  agentId: fc.constantFrom('a', 'b', 'a.t', '~a'),
  turnId: fc.constantFrom('a.t1', 'a.t2', 'b.t1', 'a', '~', '!', '~a.t1'),
  callId: callIds,
  itemId: fc.constantFrom('i1', 'i2', 'i3'),
  source,
  name,
  wireName: name,
  modelId: name,
  id: fc.oneof(name, fc.constantFrom('default_end', 'default_continue_with_tool')),
  payload,
  input,
};

/** Arbitrary values of a schema; texts and numbers of any sort, where a real event holds an id or a count. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const known = ofSchema.get(isOptional(schema) ? schema.present : schema);
  if (known !== undefined) return known;
  const { form } = schema;
  switch (form.kind) {
    case 'text':
      return fc.oneof(text, name);
    case 'flag':
      return fc.boolean();
    case 'number':
    case 'count':
    case 'time':
      return number;
    case 'json':
      return json;
    case 'map':
      return object(json);
    case 'words':
      return fc.constantFrom(...form.words);
    case 'nullable':
      return fc.oneof(fc.constant(null), valuesOf(form.of));
    case 'list':
      return fc.array(valuesOf(form.of), { maxLength: 3 });
    case 'values':
      return object(valuesOf(form.of));
    case 'record':
      return recordOf(form.fields);
    case 'variants':
      return fc.oneof(...Object.values(form.kinds).map(valuesOf));
    case 'either':
      return fc.oneof(valuesOf(form.first), valuesOf(form.second));
  }
}

function recordOf(fields: SchemaFields): fc.Arbitrary<object> {
  const isInput = 'itemId' in fields && 'ingestor' in fields;
  const entries = Object.entries(fields).map(([key, schema]) => {
    if (isInput && key === 'content') return [key, fc.oneof(content, framed)] as const;
    if (key === 'ingestor') return [key, fc.constantFrom('tool_result', 'user_prompt', 'other')] as const;
    return [key, ofField[key] ?? valuesOf(schema)] as const;
  });
  const requiredKeys = Object.entries(fields).flatMap(([key, schema]) => (isOptional(schema) ? [] : [key]));
  return fc.record(Object.fromEntries(entries), { requiredKeys, noNullPrototype: true });
}

/** Drafts of every event type, from its definition. */
const drafts = [...eventDefinitions.values()].map(({ type, schema }) =>
  valuesOf(schema).map((fields) => ({ type, ...(fields as object) })),
);

const time = fc.oneof(
  fc.constantFrom(1_750_000_000_000, 1_750_000_000_001),
  fc.integer(),
  fc.constant(0.1),
  fc.constant(1_750_000_000_000.3),
);
const place = fc.record({
  at: time,
  cause: fc.oneof(fc.constant('before'), fc.constant(undefined), fc.integer({ min: 0, max: 30 })),
});

const placedDraft = fc.oneof(...drafts).chain((draft) => place.map((where) => ({ draft, where })));

/** Events of one commit to run `run_1`, of every type and in any order, beginning at a sequence number from 1 to 20. */
export const commitEvents: fc.Arbitrary<CadreEvent[]> = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.array(placedDraft, { minLength: 1, maxLength: 8, size: 'max' }))
  .map(([firstSeq, entries]) =>
    entries.map(({ draft, where }, index) => {
      const seq = firstSeq + index;
      const cause = where.cause === 'before' ? seq - 1 : where.cause;
      const event: unknown = { ...draft, runId: 'run_1', seq, at: where.at, ...(cause === undefined ? {} : { cause }) };
      return event as CadreEvent;
    }),
  );
