import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { mapSchema } from './map-schema.ts';
import { readJson } from '../../core/read-json.ts';

/** Largest schema of one tool, in characters of JSON text (FAULTS P4). */
const maxSchemaChars = 256 * 1024;
/** Deepest nesting of one schema (FAULTS P4). */
const maxSchemaDepth = 64;

/** Keywords that may open a schema for an object without a declared type. */
const keywords: ReadonlySet<string> = new Set(
  (
    '$schema $id id $ref $defs definitions $anchor $comment $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary title ' +
    'description default examples deprecated readOnly writeOnly enum const properties required additionalProperties patternProperties ' +
    'propertyNames minProperties maxProperties dependencies dependentRequired dependentSchemas unevaluatedProperties allOf anyOf oneOf not ' +
    'if then else nullable discriminator'
  ).split(' '),
);

/** Shared schema of all tools without arguments, so that it is compiled once. */
const noParameters: JsonSchema = Object.freeze({ type: 'object', properties: Object.freeze({}) });

/**
 * Returns the plain JSON Schema of a tool's declared parameters: zod or another Standard Schema that offers JSON Schema, a typebox
 * schema, `jsonSchema()` of the AI SDK, or JSON Schema itself. The result is a fresh copy and always describes an object. `where` names
 * the tool in errors.
 *
 * @throws CadreError `TOOL_INVALID` when no JSON Schema is available, or it is too large, too deep or not for an object
 */
export function jsonSchemaOf(parameters: unknown, where: string): JsonSchema {
  if (parameters === undefined || parameters === null) return noParameters;
  let found: unknown;
  try {
    found = findSchema(parameters, 0);
  } catch (thrown) {
    throw invalid(where, `could not be turned into JSON Schema: ${describeThrown(thrown)}`, thrown);
  }
  if (found === undefined) {
    throw invalid(
      where,
      'must be a zod or other Standard Schema that offers JSON Schema, a typebox schema, jsonSchema() of the AI SDK, or a plain JSON Schema object',
    );
  }
  return objectSchema(plainCopy(found, where), where);
}

/** Returns a copy of a schema for models: without the `x-*` keywords that only this engine reads (A1.8). */
export function toWireSchema(schema: JsonSchema): JsonSchema {
  const stripped = mapSchema(schema, (inner) =>
    Object.fromEntries(Object.entries(inner).filter(([key]) => !key.startsWith('x-') && key !== '$schema')),
  );
  return stripped['properties'] === undefined ? { ...stripped, properties: {} } : stripped;
}

/** Returns the schema a value carries or is; undefined when there is none. */
function findSchema(value: unknown, depth: number): unknown {
  if (depth > 3) return undefined;
  // A lazy schema of the AI SDK is a function that creates it; arktype's schemas are functions too, but identify themselves.
  const standard = standardOf(value);
  if (standard !== undefined) return fromStandard(value, standard);
  if (typeof value === 'function') return findSchema((value as () => unknown)(), depth + 1);
  if (!isRecord(value)) return undefined;
  if (Symbol.for('vercel.ai.schema') in value) return value['jsonSchema'];
  return value;
}

function standardOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const standard: unknown = (value as { readonly '~standard'?: unknown })['~standard'];
  return isRecord(standard) ? standard : undefined;
}

/** Returns the input side of a Standard Schema: what the model writes, before the schema transforms it. */
function fromStandard(value: unknown, standard: Readonly<Record<string, unknown>>): unknown {
  const converter = standard['jsonSchema'];
  if (isRecord(converter) && typeof converter['input'] === 'function') {
    return (converter['input'] as (options: { readonly target: string }) => unknown)({ target: 'draft-07' });
  }
  for (const method of ['toJSONSchema', 'toJsonSchema']) {
    const convert: unknown = (value as Readonly<Record<string, unknown>>)[method];
    if (typeof convert === 'function') return (convert as () => unknown).call(value);
  }
  throw new Error(
    `the schema library '${String(standard['vendor'])}' offers no JSON Schema in this version; update it, or pass JSON Schema`,
  );
}

function plainCopy(found: unknown, where: string): JsonObject {
  if (isThenable(found)) throw invalid(where, 'is a promise of a schema; await it before the tool is defined');
  const problem = depthProblem(found);
  if (problem !== undefined) throw invalid(where, problem);
  let json: string | undefined;
  try {
    json = JSON.stringify(found);
  } catch (thrown) {
    throw invalid(where, `is not plain JSON: ${describeThrown(thrown)}`, thrown);
  }
  if (json !== undefined && json.length > maxSchemaChars) {
    throw invalid(
      where,
      `is a schema of ${json.length} characters; ${maxSchemaChars} are allowed. Split the tool, or describe less`,
    );
  }
  const copy = json === undefined ? undefined : (readJson(json) as JsonValue);
  if (!isJsonObject(copy)) throw invalid(where, 'must be a JSON Schema object');
  return copy;
}

/** Checks level by level, so that depth and cycles are found without recursion. */
function depthProblem(root: unknown): string | undefined {
  let level: readonly unknown[] = [root];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxSchemaDepth) return `is nested deeper than ${maxSchemaDepth} levels, or contains itself`;
    if (depth > 0 && level.some((value) => standardOf(value) !== undefined))
      return 'is JSON Schema with a schema of a library in it; make all of it with the library (z.object({ … }))';
    seen += level.length;
    if (seen > maxSchemaChars) return `is a schema of more than ${maxSchemaChars} values`;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return undefined;
}

/** Restricts a schema to objects: adds the type when it is open, rejects any other type. */
function objectSchema(schema: JsonObject, where: string): JsonSchema {
  const { type } = schema;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const bad = Object.entries(properties).find(([, property]) => !isJsonObject(property) && typeof property !== 'boolean');
  if (bad !== undefined)
    throw invalid(
      where,
      `declares '${bad[0]}' as ${JSON.stringify(bad[1])}, which is not a schema; write { "type": "string" } or the like`,
    );
  if (type === undefined) {
    const [first] = Object.keys(schema);
    if (first === undefined || Object.keys(schema).some((key) => keywords.has(key) || key.startsWith('x-')))
      return { type: 'object', ...schema };
    throw invalid(
      where,
      `is not JSON Schema: '${first}' is not one of its keywords. Write { "type": "object", "properties": { ${JSON.stringify(first)}: … } }, or z.object({ … })`,
    );
  }
  if (type === 'object') return schema;
  if (Array.isArray(type) && type.includes('object')) return { ...schema, type: 'object' };
  throw invalid(
    where,
    `must describe an object, but its type is ${JSON.stringify(type)}; wrap the value: { "type": "object", "properties": { … } }`,
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isThenable(value: unknown): boolean {
  return isRecord(value) && typeof value['then'] === 'function';
}

function invalid(where: string, what: string, cause?: unknown): CadreError {
  return new CadreError('TOOL_INVALID', `${where}: parameters ${what}.`, { details: { field: 'parameters' }, cause });
}
