/** A fault in a value from outside: its place, and the allowed values. */
export interface Problem {
  /** Like `.item.source` or `[3].at`; empty for the value itself. */
  readonly path: string;
  readonly wanted: string;
}

/** Checks a value; returns undefined when it is valid. */
export type Check = (value: unknown) => Problem | undefined;

/** A check of a key that may be absent. */
export interface OptionalCheck extends Check {
  readonly isOptional: true;
}

/** A check for every key of a record. Optional keys must be declared with `optional`, so that no new field is forgotten. */
export type Fields<Record> = {
  readonly [Key in keyof Record]-?: Pick<Record, Key> extends Required<Pick<Record, Key>> ? Check : OptionalCheck;
};

/** Builds a check of one condition. */
export function check(wanted: string, holds: (value: unknown) => boolean): Check {
  const problem: Problem = { path: '', wanted };
  return (value) => (holds(value) ? undefined : problem);
}

export const text = check('a text', (value) => typeof value === 'string');
export const flag = check('true or false', (value) => typeof value === 'boolean');
export const number = check('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const count = check('a whole number from 0 up', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
/** Accepts any JSON value; rejects undefined. */
export const json = check('a value', (value) => value !== undefined);
export const map = check('an object', isMap);

/** Milliseconds since 1970, within the range of `Date`. */
export const time = check('a time in milliseconds since 1970', (value) => typeof value === 'number' && Math.abs(value) <= 8.64e15);

/** Accepts one of the given words. */
export function oneOf(...words: readonly (string | number | boolean | null)[]): Check {
  const allowed: ReadonlySet<unknown> = new Set(words);
  return check(`one of ${words.map((word) => JSON.stringify(word)).join(', ')}`, (value) => allowed.has(value));
}

/** Accepts a text that matches the pattern. */
export function matching(pattern: RegExp, wanted: string): Check {
  return check(wanted, (value) => typeof value === 'string' && pattern.test(value));
}

/** Makes a check accept an absent key. */
export function optional(inner: Check): OptionalCheck {
  const optionalCheck = (value: unknown): Problem | undefined => (value === undefined ? undefined : inner(value));
  return Object.assign(optionalCheck, { isOptional: true as const });
}

/** Makes a check accept null. */
export function nullable(inner: Check): Check {
  return (value) => (value === null ? undefined : inner(value));
}

/** Checks each entry of a list. */
export function list(inner: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: '', wanted: 'a list' };
    for (let index = 0; index < value.length; index += 1) {
      const problem = inner(value[index]);
      if (problem !== undefined) return { ...problem, path: `[${index}]${problem.path}` };
    }
    return undefined;
  };
}

/** Checks each value of an object with arbitrary keys. */
export function mapOf(inner: Check): Check {
  return (value) => {
    if (!isMap(value)) return { path: '', wanted: 'an object' };
    for (const [key, entry] of Object.entries(value)) {
      const problem = inner(entry);
      if (problem !== undefined) return under(key, problem);
    }
    return undefined;
  };
}

/** Checks the known keys of an object; unknown keys, as later versions may add, pass. */
export function record<T>(fields: Fields<T>): Check {
  const checks: readonly (readonly [string, Check])[] = Object.entries<Check>(fields);
  return (value) => {
    if (!isMap(value)) return { path: '', wanted: 'an object' };
    for (const [key, inner] of checks) {
      const problem = inner(Object.hasOwn(value, key) ? value[key] : undefined);
      if (problem !== undefined) return under(key, problem);
    }
    return undefined;
  };
}

/** Checks a record of one of several kinds; the value under `key` selects the kind. */
export function variants(key: string, kinds: Readonly<Record<string, Check>>): Check {
  const word = oneOf(...Object.keys(kinds));
  return (value) => {
    if (!isMap(value)) return { path: '', wanted: 'an object' };
    const kind = Object.hasOwn(value, key) ? value[key] : undefined;
    const problem = word(kind);
    if (problem !== undefined) return under(key, problem);
    return kinds[String(kind)]?.(value);
  };
}

/** Accepts either of two shapes. */
export function either(first: Check, second: Check): Check {
  return (value) => (first(value) === undefined ? undefined : second(value));
}

function under(key: string, problem: Problem): Problem {
  const name = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return { ...problem, path: `.${name}${problem.path}` };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
