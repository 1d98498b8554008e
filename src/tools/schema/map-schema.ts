import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** Keywords whose value is one schema. */
const single = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value is a list of schemas. */
const lists = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
/** Keywords whose value maps names to schemas. */
const maps = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/** A schema inside a schema, and the path to it from the outer one. */
export interface SubSchema {
  readonly keyword: string;
  readonly path: readonly string[];
  readonly schema: JsonObject;
}

/** Returns the schemas directly inside a schema. Values that are data (enum, const, default, examples) are not searched. */
export function subSchemas(schema: JsonObject): readonly SubSchema[] {
  const found: SubSchema[] = [];
  const add = (keyword: string, path: readonly string[], value: JsonValue | undefined): void => {
    if (isJsonObject(value)) found.push({ keyword, path, schema: value });
  };
  for (const [keyword, value] of Object.entries(schema)) {
    if (Array.isArray(value)) {
      if (lists.has(keyword)) value.forEach((item: JsonValue, index) => add(keyword, [keyword, String(index)], item));
    } else if (isJsonObject(value)) {
      if (maps.has(keyword)) for (const [name, item] of Object.entries(value)) add(keyword, [keyword, name], item);
      else if (single.has(keyword)) add(keyword, [keyword], value);
    }
  }
  return found;
}

/**
 * Rebuilds a schema with `change` applied to every schema in it, inner ones first. Property names and data stay as they are, so that a
 * property called `$id` or `x-api-key` is not mistaken for a keyword.
 */
export function mapSchema(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const mapped: [string, JsonValue | undefined][] = Object.entries(schema).map(([keyword, value]) => {
    if (Array.isArray(value)) return [keyword, lists.has(keyword) ? value.map((item: JsonValue) => mapValue(item, change)) : value];
    if (!isJsonObject(value)) return [keyword, value];
    if (maps.has(keyword))
      return [
        keyword,
        fromEntries(Object.entries(value).map(([name, item]) => [name, item === undefined ? item : mapValue(item, change)])),
      ];
    return [keyword, single.has(keyword) ? mapSchema(value, change) : value];
  });
  return change(fromEntries(mapped));
}

function mapValue(value: JsonValue, change: (schema: JsonObject) => JsonObject): JsonValue {
  return isJsonObject(value) ? mapSchema(value, change) : value;
}

function fromEntries(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  return Object.fromEntries(entries);
}
