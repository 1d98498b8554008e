import { toData } from './data.ts';
import { failure, MAX_DATA_DEPTH } from './evaluation.ts';

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
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(map)) {
    const item = toPlainItem(value, seen, depth);
    if (item !== value) changed = true;
    if (key === '__proto__') changed = true;
    else entries.push([key, item]);
  }
  return changed ? Object.fromEntries(entries) : map;
}
