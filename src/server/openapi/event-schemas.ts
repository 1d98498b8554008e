import type { EventPlace } from '../../core/events/define-event.ts';
import { eventDefinitions } from '../../core/events/event.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { maybe, named, recordOf, text, time } from './schema-record.ts';
import { isOptional } from '../../core/schema/records.ts';
import type { Form, Schema } from '../../core/schema/schema.ts';

const place = recordOf<EventPlace>({
  runId: text,
  seq: { type: 'integer', minimum: 1, description: 'From 1, without gaps.' },
  at: time,
  cause: maybe({ type: 'integer', minimum: 1, description: 'Sequence number of the event that caused this one.' }),
});

/** Returns the name of an event type's schema: `ToolStartEvent` for `tool.start`. */
function nameOf(type: string): string {
  return `${type.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

/** Schemas of all event types, and of `Event`: any of them. */
export const eventSchemas: Readonly<Record<string, JsonObject>> = {
  EventPlace: place,
  Event: {
    description: 'An event of the journal. Later versions may add types.',
    oneOf: [...eventDefinitions.keys()].map((type) => named(nameOf(type))),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries([...eventDefinitions.keys()].map((type) => [type, `#/components/schemas/${nameOf(type)}`])),
    },
  },
  ...Object.fromEntries(
    [...eventDefinitions.values()].map(({ type, about, schema }) => [
      nameOf(type),
      { description: about, allOf: [named('EventPlace'), ofType(type, toJsonSchema(schema))] },
    ]),
  ),
};

function ofType(type: string, { properties, required }: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { type: { const: type }, ...(isJsonObject(properties) && properties) },
    required: ['type', ...(Array.isArray(required) ? (required as readonly string[]) : [])],
  };
}

/** Returns the JSON Schema of a schema. It allows further fields, as later versions may add some. */
function toJsonSchema({ form }: Schema): JsonObject {
  return schemaOf(form);
}

function schemaOf(form: Form): JsonObject {
  switch (form.kind) {
    case 'text':
      return form.pattern === undefined ? { type: 'string' } : { type: 'string', pattern: form.pattern.source };
    case 'flag':
      return { type: 'boolean' };
    case 'number':
      return { type: 'number' };
    case 'count':
      return { type: 'integer', minimum: 0 };
    case 'time':
      return { type: 'number', description: 'Milliseconds since 1970.' };
    case 'json':
      return {};
    case 'map':
      return { type: 'object' };
    case 'words':
      return form.words.length === 1 ? { const: form.words[0] } : { enum: [...form.words] };
    case 'nullable':
      return { anyOf: [toJsonSchema(form.of), { type: 'null' }] };
    case 'list':
      return { type: 'array', items: toJsonSchema(form.of) };
    case 'values':
      return { type: 'object', additionalProperties: toJsonSchema(form.of) };
    case 'record': {
      const entries = Object.entries(form.fields);
      return {
        type: 'object',
        properties: Object.fromEntries(entries.map(([key, field]) => [key, toJsonSchema(field)])),
        required: entries.flatMap(([key, field]) => (isOptional(field) ? [] : [key])),
      };
    }
    case 'variants':
      return { oneOf: Object.values(form.kinds).map(toJsonSchema) };
    case 'either':
      return { anyOf: [toJsonSchema(form.first), toJsonSchema(form.second)] };
  }
}
