import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { nameKinds, type NameKind } from './schema-parts.ts';

/** Names there are, by kind: each with a line on what it is, or an empty text. */
export type KnownThings = Readonly<Record<NameKind, ReadonlyMap<string, string>>>;

/**
 * Adds names to a schema for editors: each text that is the name of a thing completes those there are. A name that is not among them stays
 * valid, since its file may come later, and what does not exist is for the loader to say.
 */
export function withNames(schema: JsonSchema, known: KnownThings): JsonSchema {
  return addTo(schema, known) as JsonSchema;
}

function addTo(value: JsonValue | undefined, known: KnownThings): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => addTo(item, known));
  if (!isJsonObject(value)) return value ?? null;
  const entries = Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, addTo(part, known)] as const]));
  const things = new Map(kindsOf(value).flatMap((kind) => [...known[kind]]));
  return { ...Object.fromEntries(entries), ...(things.size === 0 ? {} : suggestions(things)) };
}

function kindsOf(schema: JsonObject): readonly NameKind[] {
  const kinds = schema['x-names'];
  return Array.isArray(kinds) ? nameKinds.filter((kind) => kinds.includes(kind)) : [];
}

/** The second alternative allows everything else that the schema does. */
function suggestions(things: ReadonlyMap<string, string>): JsonObject {
  const sorted = [...things].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { anyOf: [{ enum: sorted.map(([name]) => name), enumDescriptions: sorted.map(([, words]) => words) }, {}] };
}
