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
