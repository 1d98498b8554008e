/** True for names that lead to prototypes in JavaScript; no expression reads them, whatever the data holds. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/** Converts any JavaScript value in a scope to a value of the language: functions, symbols and undefined become null, BigInt a number. */
export function toData(value: unknown): unknown {
  switch (typeof value) {
    case 'undefined':
    case 'function':
    case 'symbol':
      return null;
    case 'bigint':
      return Number(value);
    default:
      return value;
  }
}

/** True for a map of the language: an object that is not a list. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a list; narrows to unknown items instead of `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Reads an own field of a map by name; anything else, and anything missing, is null. */
export function readField(container: unknown, name: string): unknown {
  if (typeof container !== 'object' || container === null || Array.isArray(container)) return null;
  if (!Object.hasOwn(container, name)) return null;
  return toData((container as Readonly<Record<string, unknown>>)[name]);
}

/** Reads an item of a list; a negative index counts from the end, anything missing is null. */
export function readItem(list: readonly unknown[], index: number): unknown {
  return toData(list[index < 0 ? list.length + index : index]);
}

/** Reads `container[key]` for a key known only at run time: own data only, missing is null. */
export function readKey(container: unknown, key: unknown): unknown {
  if (isList(container)) return typeof key === 'number' ? readItem(container, key) : null;
  if (typeof key === 'number') return readField(container, String(key));
  if (typeof key !== 'string' || isForbiddenKey(key)) return null;
  return readField(container, key);
}

/** Returns the truthiness of a value: null, false, 0, NaN, '', [] and {} are false, all others true. */
export function isTruthy(value: unknown): boolean {
  if (typeof value !== 'object') return Boolean(toData(value));
  if (value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}

/** Returns the name of a value's kind for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'object':
      return 'map';
    case 'boolean':
      return 'bool';
    default:
      return typeof value;
  }
}
