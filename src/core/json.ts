import { readJson } from './read-json.ts';

/** Any value that survives a round trip through JSON text. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; an absent key reads as `undefined`. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A JSON Schema document (draft-07 or 2020-12), kept as plain data. */
export type JsonSchema = JsonObject;

/** A record while it is being built: hot paths add optional fields one by one instead of spreading objects together. */
export type Writable<Record> = { -readonly [Key in keyof Record]: Record[Key] };

/** True for a plain JSON object (not null, not a list). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Pure cache: keyed by the last parsed text.
let lastText: string | undefined;
// Pure cache: the value of the last parsed text; readers do not change it.
let lastValue: unknown;

/**
 * Parses JSON text, caching the last one: a reply's arguments are parsed once for history and once for the call. The value may
 * be shared, so callers must not change it. Throws SyntaxError like `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  if (text === lastText) return lastValue;
  const value: unknown = readJson(text);
  lastText = text;
  lastValue = value;
  return value;
}

/** Deepest nesting of a call's arguments: deeper ones are rejected, and history shows their original text. */
export const maxArgumentDepth = 64;

/** True when a value is nested deeper than `limit`, a small number: no value is followed further, so its depth cannot overflow the stack. */
export function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const inner of Object.values(value)) {
    if (limit === 0) return true;
    if (typeof inner === 'object' && inner !== null && isDeeperThan(inner, limit - 1)) return true;
  }
  return false;
}
