import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { JsonPatchOperation } from './ag-ui-event.ts';

/** Returns the JSON Patch (RFC 6902) from one object to another; compares objects field by field, other values as a whole. */
export function jsonPatch(before: JsonObject, after: JsonObject, path = ''): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const key of Object.keys(before))
    if (valueAt(after, key) === undefined) operations.push({ op: 'remove', path: below(path, key) });
  for (const key of Object.keys(after)) {
    const place = below(path, key);
    const old = valueAt(before, key);
    const value = valueAt(after, key);
    if (value === undefined) continue;
    if (old === undefined) operations.push({ op: 'add', path: place, value });
    else if (isJsonObject(old) && isJsonObject(value)) operations.push(...jsonPatch(old, value, place));
    else if (!isSame(old, value)) operations.push({ op: 'replace', path: place, value });
  }
  return operations;
}

function valueAt(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function below(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
