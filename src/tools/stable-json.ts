import { isJsonObject, type JsonValue } from '../core/json.ts';

/** Formats a value as indented JSON with sorted keys: equal values give equal text, regardless of key order. */
export function stableJson(value: JsonValue): string {
  return JSON.stringify(sorted(value), null, 2);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => sorted(item));
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  const isSorted = keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') <= key);
  const ordered: Record<string, JsonValue> = {};
  for (const key of isSorted ? keys : keys.sort()) ordered[key] = sorted(value[key] ?? null);
  return ordered;
}

/** Returns a copy of plain data with sorted keys. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]: readonly [string, unknown]) => [key, withSortedKeys(part)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
