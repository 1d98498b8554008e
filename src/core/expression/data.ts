import { failure, MAX_DATA_DEPTH, type Evaluation } from './evaluation.ts';

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
  const value = (container as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' || typeof value === 'object' ? value : toData(value);
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
  if (typeof value === 'boolean') return value;
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

/**
 * Converts a result to plain JavaScript data: BigInt becomes a number, functions and undefined become null, and a `__proto__`
 * key, which would set a prototype where the result is merged, is dropped. Plain values are returned as they are, not copied.
 */
export function toPlainData(value: unknown): unknown {
  const data = toData(value);
  if (typeof data !== 'object' || data === null) return data;
  return toPlainObject(data, new Map(), 0);
}

function toPlainObject(value: object, seen: Map<object, unknown>, depth: number): unknown {
  // `seen` keeps shared parts linear and turns a cycle into a failure.
  if (seen.has(value)) {
    const known = seen.get(value);
    if (known === undefined) throw failure('the value contains itself');
    return known;
  }
  if (depth > MAX_DATA_DEPTH) throw failure(`the value is nested deeper than ${MAX_DATA_DEPTH} levels`);
  seen.set(value, undefined);
  const plain = Array.isArray(value) ? toPlainList(value, seen, depth) : toPlainMap(value, seen, depth);
  seen.set(value, plain);
  return plain;
}

function toPlainItem(value: unknown, seen: Map<object, unknown>, depth: number): unknown {
  const data = toData(value);
  return typeof data === 'object' && data !== null ? toPlainObject(data, seen, depth + 1) : data;
}

function toPlainList(list: readonly unknown[], seen: Map<object, unknown>, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = toPlainItem(list[index], seen, depth);
    if (item !== list[index]) copy ??= list.slice();
    if (copy !== undefined) copy[index] = item;
  }
  return copy ?? list;
}

function toPlainMap(map: object, seen: Map<object, unknown>, depth: number): object {
  const prototype: unknown = Object.getPrototypeOf(map);
  let changed = prototype !== Object.prototype && prototype !== null;
  const keys = Object.keys(map);
  const items: unknown[] = [];
  for (const key of keys) {
    const value = (map as Readonly<Record<string, unknown>>)[key];
    const item = toPlainItem(value, seen, depth);
    if (item !== value || key === '__proto__') changed = true;
    items.push(item);
  }
  if (!changed) return map;
  const entries = keys.map((key, index) => [key, items[index]] as const);
  return Object.fromEntries(entries.filter(([key]) => key !== '__proto__'));
}

/** True for deeply equal data; values of different kinds are unequal, never an error. */
export function equals(left: unknown, right: unknown, evaluation: Evaluation, depth = 0): boolean {
  if (typeof left === 'string' && typeof right === 'string') return textsEqual(left, right, evaluation);
  const a = toData(left);
  const b = toData(right);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth > MAX_DATA_DEPTH) throw failure(`the values are nested deeper than ${MAX_DATA_DEPTH} levels`);
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return false;
    evaluation.charge(a.length + 1);
    return a.every((item, index) => equals(item, b[index], evaluation, depth + 1));
  }
  return isMap(a) && isMap(b) && mapsEqual(a, b, evaluation, depth);
}

function textsEqual(left: string, right: string, evaluation: Evaluation): boolean {
  if (left.length !== right.length) return false;
  evaluation.chargeText(left.length);
  return left === right;
}

function mapsEqual(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  evaluation: Evaluation,
  depth: number,
): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  evaluation.charge(keys.length + 1);
  return keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key], evaluation, depth + 1));
}
