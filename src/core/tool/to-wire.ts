import type { JsonValue } from '../json.ts';

/** Deepest nesting kept; deeper values are named, not shown. */
export const maxWireDepth = 100;
/**
 * Most values in one result; a shared part counts each time it is written. Low enough that converting, sorting and redacting them does
 * not keep other runs waiting: this work is done while a decision is made.
 */
const maxWireValues = 100_000;
/** Most fields of one object; tables of more entries belong in lists, which cost a fraction. */
const maxFields = 20_000;
/** Most characters of text in one result, low enough for worst-case JSON text to fit in a string. */
const maxWireChars = 48_000_000;

/** Remaining allowance of one conversion, and the objects around the current value. */
interface Walk {
  /** Made for the first object: most values that are converted one by one have no parts. */
  ancestors: Set<object> | undefined;
  values: number;
  chars: number;
}

/**
 * Converts any JavaScript value to JSON by fixed rules, and never throws (FAULTS X4).
 *
 * 1. `undefined` is null at the top and in lists, and left out of objects; -0 is 0; NaN and infinities are their names.
 * 2. BigInt: decimal text. Date: ISO text. URL, URLSearchParams, RegExp: their text. Boxed values: the value.
 * 3. Map: an object when all keys are texts, else a list of pairs. Set: a list. Bytes: `{ bytes, base64 }`. Other typed arrays:
 *    lists.
 * 4. Error: `{ name, message }` with its own fields, cause and errors; no stack. Class instances: own fields, or `toJSON()`.
 * 5. All other values, and those that throw, contain themselves or exceed a bound: `{ unserialisable: kind }`.
 * 6. Lone surrogates become U+FFFD, and `__proto__` keys are dropped. The result equals itself after a round trip through JSON
 *    text.
 */
export function toWire(value: unknown): JsonValue {
  return convert(value, { ancestors: undefined, values: maxWireValues, chars: maxWireChars }, 0) ?? null;
}

/** Converts a value to JSON; undefined only for `undefined`. */
function convert(value: unknown, walk: Walk, depth: number): JsonValue | undefined {
  walk.values -= 1;
  switch (typeof value) {
    case 'string':
      return text(value, walk);
    case 'number':
      return Number.isFinite(value) ? value + 0 : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return text(String(value), walk);
    case 'undefined':
      return undefined;
    case 'function':
    case 'symbol':
      return unserialisable(typeof value);
    case 'object':
      return value === null ? null : convertObject(value, walk, depth);
  }
}

function convertObject(value: object, walk: Walk, depth: number): JsonValue {
  const ancestors = (walk.ancestors ??= new Set());
  if (ancestors.has(value)) return unserialisable('circular');
  if (depth >= maxWireDepth) return unserialisable('too deep');
  if (walk.values < 0) return unserialisable('too large');
  ancestors.add(value);
  try {
    return byKind(value, walk, depth);
  } catch {
    // A revoked proxy or a throwing trap, getter or method: its kind can still be reported.
    return unserialisable('object that throws');
  } finally {
    ancestors.delete(value);
  }
}

function byKind(value: object, walk: Walk, depth: number): JsonValue {
  if (Array.isArray(value)) return list(value, walk, depth);
  if (isPlainObject(value)) {
    const keys = Object.keys(value);
    if (keys.length > 0) return fields(value, keys, {}, walk, depth);
  }
  if (ArrayBuffer.isView(value)) return view(value, walk, depth);
  const kind = tagOf(value);
  try {
    const known = builtIn(value, kind, walk, depth);
    if (known !== undefined) return known;
  } catch {
    // It only claims to be of this kind: convert its fields.
  }
  const own = value as { readonly toJSON?: unknown };
  if (typeof own.toJSON === 'function') return fromToJson(value, own.toJSON.bind(value) as () => unknown, walk, depth);
  const keys = Object.keys(value);
  if (keys.length === 0 && kind !== 'Object') return unserialisable(kind);
  return fields(value, keys, {}, walk, depth);
}

/** True for an object with plain fields and no `toJSON`, as most are. */
function isPlainObject(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !(Symbol.toStringTag in value) && !('toJSON' in value);
}

function tagOf(value: object): string {
  return text(Object.prototype.toString.call(value).slice(8, -1), { ancestors: undefined, values: 1, chars: 60 });
}

/** Converts a value of a built-in class; undefined for all others. Throws when the value only pretends to be one. */
function builtIn(value: object, kind: string, walk: Walk, depth: number): JsonValue | undefined {
  switch (kind) {
    case 'Date': {
      const time = Date.prototype.getTime.call(value);
      return Number.isNaN(time) ? unserialisable('invalid date') : new Date(time).toISOString();
    }
    case 'Map':
      return fromMap([...Map.prototype.entries.call(value as Map<unknown, unknown>)], walk, depth);
    case 'Set':
      return list([...Set.prototype.values.call(value as Set<unknown>)], walk, depth);
    case 'ArrayBuffer':
    case 'SharedArrayBuffer':
      return bytes(new Uint8Array(value as ArrayBuffer), walk);
    case 'RegExp':
    case 'URL':
    case 'URLSearchParams':
      return text(String(value), walk);
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
      return convert((value as { valueOf(): unknown }).valueOf(), walk, depth + 1) ?? null;
    case 'Promise':
      return unserialisable('Promise');
    case 'Error':
    case 'DOMException':
      return fromError(value, walk, depth);
    default:
      return value instanceof Error ? fromError(value, walk, depth) : undefined;
  }
}

/** Takes the result of `toJSON` as data, as JSON.stringify does: its own `toJSON` is not called. */
function fromToJson(value: object, toJson: () => unknown, walk: Walk, depth: number): JsonValue {
  const data = toJson();
  if (typeof data !== 'object' || data === null) return convert(data, walk, depth + 1) ?? null;
  if (data === value || typeof (data as { readonly toJSON?: unknown }).toJSON === 'function')
    return fields(data, Object.keys(data), {}, walk, depth + 1);
  return convertObject(data, walk, depth + 1);
}

function fromError(error: object, walk: Walk, depth: number): JsonValue {
  const start: Record<string, JsonValue> = {};
  const hidden = ['name', 'message', 'cause', 'errors'].filter((key) => key in error);
  const own = Object.keys(error).filter((key) => !hidden.includes(key) && key !== 'stack');
  return fields(error, [...hidden, ...own], start, walk, depth);
}

function fromMap(entries: readonly (readonly [unknown, unknown])[], walk: Walk, depth: number): JsonValue {
  if (!entries.every(([key]) => typeof key === 'string')) return list(entries, walk, depth);
  const object: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) object[String(key)] = value;
  return fields(object, Object.keys(object), {}, walk, depth);
}

function fields(source: object, keys: readonly string[], target: Record<string, JsonValue>, walk: Walk, depth: number): JsonValue {
  for (const [index, key] of keys.entries()) {
    if (key === '__proto__') continue;
    if (index >= maxFields || walk.values < 0 || walk.chars < 0) {
      target['…'] = unserialisable(`${keys.length - index} more fields`);
      break;
    }
    const value = convertField(source, key, walk, depth);
    if (value !== undefined) target[text(key, walk)] = value;
  }
  return target;
}

function convertField(source: object, key: string, walk: Walk, depth: number): JsonValue | undefined {
  let value: unknown;
  try {
    value = (source as Readonly<Record<string, unknown>>)[key];
  } catch {
    return unserialisable('getter that throws');
  }
  return convert(value, walk, depth + 1);
}

function list(items: readonly unknown[], walk: Walk, depth: number): JsonValue {
  const result: JsonValue[] = [];
  for (let index = 0; index < items.length; index += 1) {
    if (walk.values < 0 || walk.chars < 0) {
      result.push(unserialisable(`${items.length - index} more items`));
      break;
    }
    result.push(convertField(items, String(index), walk, depth) ?? null);
  }
  return result;
}

function view(value: ArrayBufferView, walk: Walk, depth: number): JsonValue {
  const isBytes = value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView;
  if (isBytes) return bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), walk);
  return list(Object.values(value), walk, depth);
}

function bytes(data: Uint8Array, walk: Walk): JsonValue {
  const fitting = data.subarray(0, Math.max(0, Math.floor(walk.chars / 4) * 3));
  return {
    bytes: data.length,
    base64: text(Buffer.from(fitting.buffer, fitting.byteOffset, fitting.length).toString('base64'), walk),
  };
}

/** Returns text that every JSON reader accepts, cut when the result has grown too large. */
function text(value: string, walk: Walk): string {
  const fitting = value.length <= walk.chars ? value : `${value.slice(0, Math.max(0, walk.chars))}… (${value.length} characters)`;
  walk.chars -= value.length + 1;
  return fitting.toWellFormed();
}

function unserialisable(kind: string): JsonValue {
  return { unserialisable: kind };
}
