import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Words that mean something to most tools and are harmless to all: paths, a question, a number as text. */
export const plainWords: readonly string[] = ['notes.md', '.', 'docs', 'a', '7', 'What is this about?', 'true', '**/*', 'é', '{}'];

// Deeper schemas get empty values: recursive ones would never end.
const maxDepth = 6;

/** Sources of random values: choices from a seed, and words for texts. */
export interface ValueChoices {
  readonly random: SeededRandom;
  readonly words: readonly string[];
}

/**
 * Makes a value that matches a JSON Schema in its types, choices, required properties and bounds, with texts from `words`. Ignores
 * patterns and formats: arguments that violate them are a case worth testing.
 */
export function fittingValue(schema: JsonValue | undefined, choices: ValueChoices, depth = 0): JsonValue {
  const { random, words } = choices;
  if (!isJsonObject(schema)) return random.pick(words) ?? '';
  const { enum: values, const: only, anyOf, oneOf, default: usual } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values) && values.length > 0) return random.pick<JsonValue>(values) ?? null;
  if (usual !== undefined && random.chance(0.3)) return usual;
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  if (branches.length > 0 && depth < maxDepth) {
    const merged = { ...schema, ...asObject(random.pick<JsonValue>(branches)) };
    delete (merged as Record<string, unknown>)['anyOf'];
    delete (merged as Record<string, unknown>)['oneOf'];
    return fittingValue(merged, choices, depth + 1);
  }
  return valueOfType(schema, choices, depth);
}

/** Breaks a valid value: a property is missing, extra or of another type, or the whole is not an object. */
export function spoiledValue(value: JsonValue, random: SeededRandom): JsonValue {
  const keys = isJsonObject(value) ? Object.keys(value) : [];
  const key = random.pick(keys);
  if (!isJsonObject(value) || key === undefined) return random.pick<JsonValue>([{ nothing_known: 1 }, [], 'text', 0, null]) ?? null;
  const kind = random.below(4);
  if (kind === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  if (kind === 1) return { ...value, [`${key}_of_nothing`]: value[key] ?? null };
  if (kind === 2) return { ...value, [key]: random.pick<JsonValue>([null, -1, {}, [], true, 'x'.repeat(5_000)]) ?? null };
  return random.pick<JsonValue>([[value], JSON.stringify(value), null]) ?? null;
}

function typeOf(schema: JsonObject, random: SeededRandom): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(random.pick<JsonValue>(type) ?? 'null');
  return isJsonObject(schema['properties']) ? 'object' : 'string';
}

function valueOfType(schema: JsonObject, choices: ValueChoices, depth: number): JsonValue {
  const { random, words } = choices;
  switch (typeOf(schema, random)) {
    case 'object':
      return depth >= maxDepth ? {} : objectOf(schema, choices, depth);
    case 'array': {
      const least = numberAt(schema, 'minItems', 0);
      const count = depth >= maxDepth ? least : Math.min(least + random.below(3), numberAt(schema, 'maxItems', 8));
      return Array.from({ length: count }, () => fittingValue(schema['items'], choices, depth + 1));
    }
    case 'integer':
    case 'number': {
      const least = numberAt(schema, 'minimum', 0);
      const most = Math.max(least, Math.min(numberAt(schema, 'maximum', least + 5), least + 5));
      return Math.ceil(least) + random.below(Math.floor(most - least) + 1);
    }
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default: {
      const word = random.pick(words) ?? '';
      return word.padEnd(numberAt(schema, 'minLength', 0), '.').slice(0, numberAt(schema, 'maxLength', 10_000));
    }
  }
}

function objectOf(schema: JsonObject, choices: ValueChoices, depth: number): JsonObject {
  const properties = asObject(schema['properties']);
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const names = Object.keys(properties).filter((name) => required.has(name) || choices.random.chance(0.3));
  return Object.fromEntries(names.map((name) => [name, fittingValue(properties[name], choices, depth + 1)]));
}

function numberAt(schema: JsonObject, key: string, otherwise: number): number {
  const value = schema[key];
  return typeof value === 'number' ? value : otherwise;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
