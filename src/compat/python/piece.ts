import type { JsonValue } from '../../core/json.ts';
import { PythonProblem } from './syntax.ts';

/** Known kind of a value. */
export type Kind = 'any' | 'bool' | 'int' | 'number' | 'string' | 'list' | 'map' | 'messages' | 'message' | 'items' | 'item';

/** Binding strength of a piece of CEL: in a place of a higher level, texts of a lower level need brackets. */
export const level = { conditional: 0, or: 1, and: 2, compare: 3, sum: 4, product: 5, unary: 6, chain: 7 } as const;

/**
 * Python expression converted to CEL.
 *
 * Python raises where CEL reads null, and a condition that raises is not true. So a piece has guards besides the text of its
 * value:
 *
 * 1. Where Python would raise, a guard is false, or evaluating the text fails (`fails`). Otherwise all guards are true, and the
 *    text has Python's value.
 * 2. Guards are evaluated in order: each may rely on those before it.
 * 3. A place is *final* when false and raising have the same effect there. Guards are written only in final places (`toFinal`),
 *    and only when the text could be truthy without them (`broken`).
 */
export interface Piece {
  readonly text: string;
  readonly level: number;
  readonly guards: readonly string[];
  /** True when evaluating the text may fail; then Python raises as well. */
  readonly fails: boolean;
  readonly kind: Kind;
  readonly nullable: boolean;
  /** Value without its fallback, where null represents the empty text, list or map. */
  readonly bare?: string;
  /** Value of the text (unless it fails) when a guard is false; absent when unknown. */
  readonly broken?: JsonValue;
  /** Value of a literal. */
  readonly literal?: JsonValue;
  /** Keys below the context object, for chains of `.get` on it. */
  readonly contextKeys?: readonly string[];
}

/** Creates a piece; the defaults are an unguarded value of unknown kind. */
export function piece(text: string, at: number, more: Partial<Piece> = {}): Piece {
  return { text, level: at, guards: [], fails: false, kind: 'any', nullable: false, ...more };
}

/** Returns the text of a piece for a place that needs at least this level. */
export function atLevel(of: Pick<Piece, 'text' | 'level'>, needed: number): string {
  return of.level < needed ? `(${of.text})` : of.text;
}

/** Returns the text of a piece, with null for the empty value, so that a `.` or `[` can follow. */
export function chainText(of: Piece): string {
  return of.bare ?? atLevel(of, level.chain);
}

/** Returns the value of a text without its guards when null represents the empty value. */
export function brokenBase(of: Piece): JsonValue | undefined {
  return of.bare === undefined ? of.broken : null;
}

/** Returns the guard that a value is not null. */
export function notNull(of: Piece): readonly string[] {
  return of.nullable ? [`${chainText(of)} != null`] : [];
}

/** True when a value is truthy; Python and CEL agree on plain data. */
export function isTruthy(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** Returns a condition for final places that is true when the piece is truthy and nothing raises. */
export function toFinal(of: Piece): Piece {
  const falsyAnyway = of.broken !== undefined && !isTruthy(of.broken);
  if (of.guards.length === 0 || falsyAnyway) return { ...of, guards: [] };
  return { ...conjunction([...of.guards, atLevel(of, level.and)]), kind: 'bool', fails: of.fails };
}

/** Joins conditions with `&&`; each must have the level of `&&` or above. */
export function conjunction(texts: readonly string[]): Piece {
  const said = [...new Set(texts)].filter((text) => text !== 'true');
  return said.length === 0 ? piece('true', level.chain, { kind: 'bool' }) : piece(said.join(' && '), level.and, { kind: 'bool' });
}

/** Returns a CEL literal. */
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
    // oxlint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
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

/** Returns a field access: `.name`, or `['a key']` when the key is not a name. */
export function fieldText(owner: string, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) && !reserved.has(key) ? `${owner}.${key}` : `${owner}[${textLiteral(key)}]`;
}

/** Throws the problem of an unsupported construct. */
export function unsupported(message: string, hint: string, at: { readonly start: number }): never {
  throw new PythonProblem(message, hint, at);
}
