import { CadreError } from '../core/error.ts';
import { closestName } from '../core/expression/closest-name.ts';

/*
 * What callers hand to the public methods of engines and runs: TypeScript is not asked by everyone. Looked at before anything is read
 * or written, so that what cannot be meant changes nothing.
 */

const kinds = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  name: ['a text that is not blank', (value: unknown) => typeof value === 'string' && value.trim() !== ''],
  textOrNull: ['a text, or null', (value: unknown) => typeof value === 'string' || value === null],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  count: ['a whole number, 0 or more', (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0],
  milliseconds: ['a number of milliseconds, 0 or more', (value: unknown) => typeof value === 'number' && value >= 0],
  names: [
    'an id, or a list of ids',
    (value: unknown) =>
      (typeof value === 'string' && value.trim() !== '') ||
      (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each.trim() !== '')),
  ],
  object: ['an object', isPlain],
  objectOrFalse: ['an object, or false', (value: unknown) => value === false || isPlain(value)],
  textOrObject: ['a text, or an object', (value: unknown) => typeof value === 'string' || isPlain(value)],
  list: ['a list', (value: unknown) => Array.isArray(value)],
  texts: ['a list of texts', (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')],
  named: ['a list of objects with a name', (value: unknown) => Array.isArray(value) && value.every(hasName)],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  signal: ['an AbortSignal', (value: unknown) => value instanceof AbortSignal],
  /** Checked by its consumer. */
  anything: ['anything', () => true],
} as const satisfies Readonly<Record<string, readonly [allowed: string, fits: (value: unknown) => boolean]>>;

/** Kinds of arguments and options that can be checked. */
export type ArgumentKind = keyof typeof kinds;

/** Kinds of a method's options, by name. */
export type OptionKinds = Readonly<Record<string, ArgumentKind>>;

/**
 * Fails with OPTION_INVALID when an argument is invalid.
 *
 * @param place the method and the argument, for people: `engine.open: runId`
 */
export function checkArgument(place: string, value: unknown, kind: ArgumentKind): void {
  const [allowed, fits] = kinds[kind];
  if (!fits(value)) throw new CadreError('OPTION_INVALID', `${place} must be ${allowed}, not ${shownValue(value)}`);
}

/** Fails with OPTION_INVALID when options are no object, an option is unknown, or one is invalid. Undefined is always fine. */
export function checkOptions(place: string, value: unknown, options: OptionKinds): void {
  if (value === undefined) return;
  checkArgument(`${place}: the options`, value, 'object');
  for (const [key, option] of Object.entries(value as object) as (readonly [string, unknown])[]) {
    const kind = Object.hasOwn(options, key) ? options[key] : undefined;
    if (kind === undefined) throw unknownOption(place, key.slice(0, 60), Object.keys(options));
    if (option !== undefined) checkArgument(`${place}: ${key}`, option, kind);
  }
}

function unknownOption(place: string, key: string, names: readonly string[]): CadreError {
  const meant = closestName(key, names);
  const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
  return new CadreError('OPTION_INVALID', `${place} has no option '${key}'; there are: ${names.join(', ')}${hint}`);
}

/** Describes an invalid value in a few words. */
export function shownValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? `a list of ${value.length}` : 'an object';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    default:
      return String(value);
  }
}

function hasName(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
