import type { JsonValue } from '../../core/json.ts';
import { PythonProblem } from './syntax.ts';

/** What a value is known to be. */
export type Kind = 'any' | 'bool' | 'int' | 'number' | 'string' | 'list' | 'map' | 'messages' | 'message' | 'items' | 'item';

/** How tightly a piece of CEL binds: texts of a lower level need brackets in places of a higher one. */
export const level = { conditional: 0, or: 1, and: 2, compare: 3, sum: 4, product: 5, unary: 6, chain: 7 } as const;

/**
 * A Python expression as CEL.
 *
 * Python raises where CEL reads null, and a condition that raises does not hold. So besides the text of its value a piece has guards:
 *
 * 1. Where Python would raise, a guard is false, or the text fails when it is evaluated (`fails`). Elsewhere all guards hold, and the
 *    text has Python's value.
 * 2. Guards are asked in order: each may rely on those before it.
 * 3. A place is *final* when false and raising come to the same there. Only there guards are written (`toFinal`), and not even there
 *    when the text is falsy anyway without what they ask for (`broken`).
 */
export interface Piece {
  readonly text: string;
  readonly level: number;
  readonly guards: readonly string[];
  /** Whether evaluating the text may fail; then Python raises, too. */
  readonly fails: boolean;
  readonly kind: Kind;
  readonly nullable: boolean;
  /** The value without its fallback, where null stands for the empty text, list or map. */
  readonly bare?: string;
  /** What the text comes to (or fails) when a guard is false; absent when that is not known. */
  readonly broken?: JsonValue;
  /** The value, when it is a literal. */
  readonly literal?: JsonValue;
  /** Keys below the context object, for chains of `.get` from it. */
  readonly contextKeys?: readonly string[];
  /** Names of a dictionary's loop: the text of the value that belongs to a key. */
  readonly pairs?: boolean;
}

/** A piece with nothing unusual about it. */
export function piece(text: string, at: number, more: Partial<Piece> = {}): Piece {
  return { text, level: at, guards: [], fails: false, kind: 'any', nullable: false, ...more };
}

/** The text of a piece for a place that needs at least this level. */
export function atLevel(of: Pick<Piece, 'text' | 'level'>, needed: number): string {
  return of.level < needed ? `(${of.text})` : of.text;
}

/** The text of a piece where null stands for the empty value, as something to put a `.` or `[` behind. */
export function chainText(of: Piece): string {
  return of.bare ?? atLevel(of, level.chain);
}

/** What a text without its guards comes to when it is used with null standing for empty. */
export function brokenBase(of: Piece): JsonValue | undefined {
  return of.bare === undefined ? of.broken : null;
}

/** The guard that a value is there. */
export function notNull(of: Piece): readonly string[] {
  return of.nullable ? [`${chainText(of)} != null`] : [];
}

/** Python's and CEL's truthiness, which are the same on data. */
export function isTruthy(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** A condition that holds when the piece is truthy and nothing raises; for final places. */
export function toFinal(of: Piece): Piece {
  const falsyAnyway = of.broken !== undefined && !isTruthy(of.broken);
  if (of.guards.length === 0 || falsyAnyway) return { ...of, guards: [] };
  return { ...conjunction([...of.guards, atLevel(of, level.and)]), kind: 'bool', fails: of.fails };
}

/** Conditions that must all hold, each of them a text of the level of `&&` or above. */
export function conjunction(texts: readonly string[]): Piece {
  const said = [...new Set(texts)].filter((text) => text !== 'true');
  return said.length === 0 ? piece('true', level.chain, { kind: 'bool' }) : piece(said.join(' && '), level.and, { kind: 'bool' });
}

/** A literal of CEL. */
export function literalText(value: JsonValue, isFloat = false): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'number') return isFloat && Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map((item) => literalText(item)).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, item]) => `${textLiteral(key)}: ${literalText(item ?? null)}`)
      .join(', ')}}`;
  return String(value);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function textLiteral(value: string): string {
  const inner = value.replaceAll(
    // oxlint-disable-next-line no-control-regex -- control characters are what is escaped here
    /[\\'\u0000-\u001F\u007F]/g,
    (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `'${inner}'`;
}

const reserved = new Set(
  'in as break const continue else for function if import let loop package namespace return var void while null true false'.split(
    ' ',
  ),
);

/** A key read from a value: `.name`, or `['a key']` when it is no name. */
export function fieldText(owner: string, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) && !reserved.has(key) ? `${owner}.${key}` : `${owner}[${textLiteral(key)}]`;
}

/** The problem of a construct outside of what is converted. */
export function unsupported(message: string, hint: string, at: { readonly start: number }): never {
  throw new PythonProblem(message, hint, at);
}
