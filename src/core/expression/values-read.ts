import { isJsonObject, type JsonValue } from '../json.ts';
import type { Expression, Scope } from './expression.ts';
import { readPath } from './read-path.ts';

const noPaths: readonly never[] = [];

/** Returns the values that a condition read, small enough for the record: scalars as they are, long texts cut, others by their size. */
export function valuesRead(condition: Expression | undefined, scope: Scope): Readonly<Record<string, JsonValue>> {
  const values: Record<string, JsonValue> = {};
  for (const path of condition?.paths ?? noPaths) values[path] = shown(readPath(scope, path));
  return values;
}

function shown(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value.length > 80 ? `${value.slice(0, 80)}…` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return `list of ${value.length}`;
  return isJsonObject(value) ? `map of ${Object.keys(value).length}` : typeof value;
}
