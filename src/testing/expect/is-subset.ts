import { isJsonObject, type JsonValue } from '../../core/json.ts';

/** True when a value has everything that is expected: maps may have more keys, lists have the same length. */
export function isSubset(expected: JsonValue, actual: JsonValue | undefined): boolean {
  if (isJsonObject(expected))
    return (
      isJsonObject(actual) &&
      Object.entries(expected).every(([key, value = null]) => Object.hasOwn(actual, key) && isSubset(value, actual[key]))
    );
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      (expected as readonly JsonValue[]).every((value, index) => isSubset(value, (actual as readonly JsonValue[])[index]))
    );
  return expected === actual;
}
