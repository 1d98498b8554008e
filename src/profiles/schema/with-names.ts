import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { nameKinds, type NameKind } from './schema-parts.ts';

/** Known names by kind, each with a one-line description or an empty text. */
export type KnownThings = Readonly<Record<NameKind, ReadonlyMap<string, string>>>;

/**
 * Adds names to a schema for editors to complete. Other names stay valid, since their file may follow later; the loader reports
 * unknown ones.
 */
export function withNames(schema: JsonSchema, known: KnownThings): JsonSchema {
  return addTo(schema, known) as JsonSchema;
}

function addTo(value: JsonValue | undefined, known: KnownThings): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => addTo(item, known));
  if (!isJsonObject(value)) return value ?? null;
  const entries = Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, addTo(part, known)] as const]));
  const things = new Map(kindsOf(value).flatMap((kind) => [...known[kind]]));
  return { ...Object.fromEntries(entries), ...keysOf(value, known), ...(things.size === 0 ? {} : suggestions(things)) };
}

const keyPrefixes: Readonly<Record<string, string>> = {
  state_paths: '',
  flags: 'flags.',
  values: 'values.',
  shared: 'team.shared.',
};

/** Returns the known keys of a free map as properties, each of which may have any value. */
function keysOf(schema: JsonObject, known: KnownThings): JsonObject {
  const prefix = keyPrefixes[String(schema['x-key-names'])];
  if (prefix === undefined) return {};
  const keys = [...known.state_paths].filter(([path]) => path.startsWith(prefix)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (keys.length === 0) return {};
  return { properties: Object.fromEntries(keys.map(([path, description]) => [path.slice(prefix.length), { description }])) };
}

function kindsOf(schema: JsonObject): readonly NameKind[] {
  const kinds = schema['x-names'];
  return Array.isArray(kinds) ? nameKinds.filter((kind) => kinds.includes(kind)) : [];
}

/** Returns alternatives of which the second one allows all other values. */
function suggestions(things: ReadonlyMap<string, string>): JsonObject {
  const sorted = [...things].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { anyOf: [{ enum: sorted.map(([name]) => name), enumDescriptions: sorted.map(([, words]) => words) }, {}] };
}
