import type { JsonObject } from '../../core/json.ts';

/** The schema of a field that may be missing. */
type Maybe = readonly ['maybe', JsonObject];

/**
 * The schema of each field of a record: all of them, and marked as `maybe` just where the type has them so. A field that is added to a
 * view fails to compile here until it is described.
 */
export type FieldsOf<T> = { readonly [Key in keyof T]-?: undefined extends T[Key] ? Maybe : JsonObject };

/** Marks a field that may be missing: JSON leaves out what is undefined. */
export function maybe(schema: JsonObject): Maybe {
  return ['maybe', schema];
}

/** The schema of a record of type `T`. Readers must expect more fields than these: later versions add some. */
export function recordOf<T>(fields: FieldsOf<T>): JsonObject {
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries<Maybe | JsonObject>(fields)) {
    const isMaybe = Array.isArray(field);
    properties[name] = isMaybe ? (field[1] as JsonObject) : (field as JsonObject);
    if (!isMaybe) required.push(name);
  }
  return { type: 'object', properties, required };
}

/** A list of what the schema describes. */
export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** A reference to one of the named schemas. */
export function named(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Schemas that many fields have. */
export const text: JsonObject = { type: 'string' };
export const number: JsonObject = { type: 'number' };
export const count: JsonObject = { type: 'integer', minimum: 0 };
export const flag: JsonObject = { type: 'boolean' };
export const time: JsonObject = { type: 'number', description: 'Milliseconds since 1970.' };
export const object: JsonObject = { type: 'object' };
export const texts: JsonObject = listOf(text);
export const objects: JsonObject = listOf(object);
export const anything: JsonObject = {};
