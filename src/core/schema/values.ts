import type { JsonObject, JsonValue } from '../json.ts';
import type { Check, Form, Schema } from './schema.ts';

function value<T>(form: Form, wanted: string, holds: (value: unknown) => boolean): Schema<T> {
  return { form, check: condition(wanted, holds) };
}

/** Builds a check of one condition. */
export function condition(wanted: string, holds: (value: unknown) => boolean): Check {
  const problem = { path: '', wanted };
  return (given) => (holds(given) ? undefined : problem);
}

export const text = value<string>({ kind: 'text' }, 'a text', (given) => typeof given === 'string');
export const flag = value<boolean>({ kind: 'flag' }, 'true or false', (given) => typeof given === 'boolean');
export const number = value<number>({ kind: 'number' }, 'a number', (given) => typeof given === 'number' && Number.isFinite(given));
export const count = value<number>(
  { kind: 'count' },
  'a whole number from 0 up',
  (given) => Number.isSafeInteger(given) && Number(given) >= 0,
);
/** Milliseconds since 1970, within the range of `Date`. */
export const time = value<number>(
  { kind: 'time' },
  'a time in milliseconds since 1970',
  (given) => typeof given === 'number' && Math.abs(given) <= 8.64e15,
);
/** Any JSON value; undefined is none. */
export const json = value<JsonValue>({ kind: 'json' }, 'a value', (given) => given !== undefined);
/** An object with any keys. */
export const map = value<JsonObject>({ kind: 'map' }, 'an object', isMap);

/** A text that matches the pattern. */
export function matching<T extends string = string>(
  pattern: RegExp,
  wanted: string,
  isAllowed = (_: string): boolean => true,
): Schema<T> {
  return value({ kind: 'text', pattern }, wanted, (given) => typeof given === 'string' && pattern.test(given) && isAllowed(given));
}

/** One of the given words. */
export function oneOf<const Word extends string | number | boolean>(...words: readonly Word[]): Schema<Word> {
  const allowed: ReadonlySet<unknown> = new Set(words);
  return value({ kind: 'words', words }, `one of ${words.map((word) => JSON.stringify(word)).join(', ')}`, (given) =>
    allowed.has(given),
  );
}

/** A schema whose values the compiler knows as a narrower type than the check: such as ids, and JSON from packages. */
export function as<T>(schema: Schema): Schema<T> {
  return schema as Schema<T>;
}

/** True for an object with keys, false for a list or scalar. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
