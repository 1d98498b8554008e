import type { EventPlace } from '../../core/events/define-event.ts';
import { eventDefinitions } from '../../core/events/event.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { toJsonSchema } from '../../core/schema/to-json-schema.ts';
import { maybe, named, recordOf, text, time } from './schema-record.ts';

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
