import type { JsonObject } from '../../core/json.ts';

/** Schema of an optional field. */
type Maybe = readonly ['maybe', JsonObject];

/**
 * Schema of each field of a record: all of them, and `maybe` exactly where the type is optional. A field added to a view does not
 * compile here until it is described.
 */
export type FieldsOf<T> = { readonly [Key in keyof T]-?: undefined extends T[Key] ? Maybe : JsonObject };

/** Marks an optional field: JSON leaves out undefined values. */
export function maybe(schema: JsonObject): Maybe {
  return ['maybe', schema];
}

/** Returns the schema of a record of type `T`. It allows further fields: later versions add some. */
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

/** Returns the schema of a list. */
export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** Returns a reference to a named schema. */
export function named(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Schemas shared by many fields. */
export const text: JsonObject = { type: 'string' };
export const number: JsonObject = { type: 'number' };
export const count: JsonObject = { type: 'integer', minimum: 0 };
export const flag: JsonObject = { type: 'boolean' };
export const time: JsonObject = { type: 'number', description: 'Milliseconds since 1970.' };
export const object: JsonObject = { type: 'object' };
export const texts: JsonObject = listOf(text);
export const objects: JsonObject = listOf(object);
export const anything: JsonObject = {};
