import { type JsonSchema, type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import { freeMap, name, object, oneOf, text, words, ifThen } from './schema-parts.ts';
import { lookup, resolvable } from './lookup-schema.ts';

/** JSON Schema of a toolset file, for the loader and for editors. The schema of the kind describes `settings`. */
export const toolsetSchema: JsonSchema = object(
  'A Cadre toolset: tools that profiles allow by its name.',
  {
    type: oneOf('Always toolset.', ['toolset']),
    name: name(
      'Name by which profiles allow the toolset; unique. It prefixes the names of its tools, unless it is the name of its kind.',
    ),
    kind: words('Kind of toolset: workspace, shell, mcp, …; default: its name.'),
    description_for_human: text('Purpose of the toolset, for people.'),
    settings: freeMap('Settings of the kind; values may come from the environment: { _type: from_env, var: NAME }.'),
  },
  {
    required: ['name'],
    'x-what': 'a toolset',
    'x-mistakes': {
      command: 'write it below settings:',
      url: 'write it below settings:',
      transport: 'write it below settings:',
      env: 'write it below settings:',
    },
  },
);

/** Settings schemas of the kinds of toolsets, by kind. */
export type SettingsByKind = Readonly<Record<string, { readonly description: string; readonly settings: JsonSchema }>>;

/** Returns the JSON Schema of toolset files with the settings of each kind; every setting may come from the environment. */
export function toolsetSchemaWith(kinds: SettingsByKind): JsonSchema {
  const allOf = Object.entries(kinds).map(([kind, { settings }]) =>
    ifThen(
      {
        anyOf: [
          { properties: { kind: { const: kind } }, required: ['kind'] },
          { properties: { name: { const: kind }, kind: false }, required: ['name'] },
        ],
      },
      { properties: { settings: withLookups(settings) } },
    ),
  );
  const kind: JsonSchema = {
    enum: Object.keys(kinds),
    description: `Kind of toolset; default: its name. ${Object.entries(kinds)
      .map(([name, { description }]) => `${name}: ${description}`)
      .join(' ')}`,
  };
  const properties = toolsetSchema['properties'] as JsonObject;
  return { ...toolsetSchema, properties: { ...properties, kind }, allOf, $defs: { lookup } };
}

/** Returns a schema whose values, at any depth, may also be lookups; the settings as a whole may not. */
function withLookups(schema: JsonSchema): JsonSchema {
  return mapParts(schema, (part) => resolvable(withLookups(part)));
}

const listsOfSchemas = ['anyOf', 'oneOf', 'allOf'] as const;

function mapParts(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]): readonly [string, JsonValue | undefined] => {
    if (key === 'properties' && isJsonObject(value)) return [key, mapEach(value, change)];
    if ((key === 'items' || key === 'additionalProperties') && isJsonObject(value)) return [key, change(value)];
    // Alternatives of one value: the value itself may be a lookup already.
    if (listsOfSchemas.some((name) => name === key) && Array.isArray(value))
      return [key, (value as readonly JsonValue[]).map((part) => (isJsonObject(part) ? mapParts(part, change) : part))];
    return [key, value];
  });
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined));
}

function mapEach(parts: JsonObject, change: (part: JsonSchema) => JsonSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [[name, isJsonObject(part) ? change(part) : part]])),
  );
}
