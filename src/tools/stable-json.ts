import { isJsonObject, type JsonValue } from '../core/json.ts';

/** Formats a value as indented JSON with sorted keys: equal values give equal text, regardless of key order. */
export function stableJson(value: JsonValue): string {
  return JSON.stringify(sorted(value), null, 2);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => sorted(item));
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}
