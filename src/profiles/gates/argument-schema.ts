import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';

/*
 * What a JSON Schema says about a value, as far as a condition needs it: the fields and items it may have, its kinds, its possible values.
 *
 * 1. A question that a schema does not answer (a `$ref` outside it, a pattern, a depth beyond the bound) has the answer "anything".
 * 2. A name counts as a field only when a schema declares it, or says that any name may stand there: most schemas leave further names open
 *    without meaning any.
 */

/** A schema within the whole schema that its references point into. */
export interface Shape {
  readonly schema: JsonValue;
  readonly root: JsonSchema;
}

/** Kinds of values of the expression language. */
export type Kind = 'number' | 'text' | 'truth value' | 'list' | 'map' | 'null';

/** Most alternatives of one schema, and references followed in a row; beyond these it may be anything. */
const mostAlternatives = 64;
const mostSteps = 32;

const kindsByType: Readonly<Record<string, Kind>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'truth value',
  array: 'list',
  object: 'map',
  null: 'null',
};

/** Returns the shape of any value. */
export function anything(root: JsonSchema): Shape {
  return { schema: true, root };
}

/** Returns the shape of a value that is one of several. */
export function eitherOf(root: JsonSchema, schemas: readonly JsonValue[]): Shape {
  const [only] = schemas;
  return { schema: schemas.length === 1 && only !== undefined ? only : { anyOf: schemas }, root };
}

/** Returns the shape of a field of a map; undefined when no value of the shape has such a field. */
export function fieldOf(shape: Shape, name: string): Shape | undefined {
  const ways = alternativesOf(shape);
  if (ways === undefined) return anything(shape.root);
  const found = ways.map((way) => fieldIn(way, name)).filter((schema) => schema !== undefined);
  return found.length === 0 ? undefined : eitherOf(shape.root, found);
}

/** Returns the shape of the items of a list, or of the one at an index; undefined when no value of the shape is a list. */
export function itemOf(shape: Shape, index?: number): Shape | undefined {
  const ways = alternativesOf(shape);
  if (ways === undefined) return anything(shape.root);
  const found = ways.flatMap((way) => itemsIn(way, index) ?? []);
  return found.length === 0 ? undefined : eitherOf(shape.root, found);
}

/** Returns the shape of the values of a map. */
export function valuesOf(shape: Shape): Shape {
  const names = fieldNames(shape);
  const schemas = names.flatMap((name) => fieldOf(shape, name)?.schema ?? []);
  return names.length === 0 || alternativesOf(shape) === undefined ? anything(shape.root) : eitherOf(shape.root, schemas);
}

/** Returns the declared names of a map's fields, for messages. */
export function fieldNames(shape: Shape): readonly string[] {
  const parts = (alternativesOf(shape) ?? []).flat();
  return [...new Set(parts.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : [])))];
}

/** Returns the kinds that a value may have; undefined when it may have any. */
export function kindsOf(shape: Shape): ReadonlySet<Kind> | undefined {
  const kinds = new Set<Kind>();
  for (const way of alternativesOf(shape) ?? [{}].map((part) => [part])) {
    const own = kindsIn(way);
    if (own === undefined) return undefined;
    for (const kind of own) kinds.add(kind);
  }
  return kinds;
}

/** Returns the values that a value may have, when its schema lists them. */
export function constantsOf(shape: Shape): readonly JsonValue[] | undefined {
  const ways = alternativesOf(shape);
  if (ways === undefined) return undefined;
  const constants: JsonValue[] = [];
  for (const way of ways) {
    const own = constantsIn(way);
    if (own === undefined) return undefined;
    constants.push(...own);
  }
  return constants;
}

/** Returns the bounds of the numbers that a value may be. */
export function boundsOf(shape: Shape): { readonly least: number; readonly most: number } {
  const ways = (alternativesOf(shape) ?? []).map((way) => ({
    least: Math.max(...way.map((part) => limitOf(part, ['minimum', 'exclusiveMinimum'], -Infinity))),
    most: Math.min(...way.map((part) => limitOf(part, ['maximum', 'exclusiveMaximum'], Infinity))),
  }));
  if (ways.length === 0) return { least: -Infinity, most: Infinity };
  return { least: Math.min(...ways.map(({ least }) => least)), most: Math.max(...ways.map(({ most }) => most)) };
}

/** Alternatives of a schema, each a list of plain schemas that hold together. */
type Way = readonly JsonObject[];

/** Resolves references and combinations; undefined when the schema says nothing, or is too large. */
function alternativesOf({ schema, root }: Shape, steps = mostSteps): readonly Way[] | undefined {
  if (schema === false) return [];
  if (!isJsonObject(schema) || steps === 0) return undefined;
  const { $ref, $dynamicRef, allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas, ...plain } = schema;
  if ($dynamicRef !== undefined) return undefined;
  let ways: readonly Way[] = [[plain]];
  // Each of these holds together with the rest, or not at all: their fields count as possible ones.
  const conditional = [then, otherwise, ...(isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : [])];
  const optional = conditional.filter((part) => part !== undefined).map((part) => [true, part]);
  const groups = [
    ...($ref === undefined ? [] : [[referenced(root, $ref)]]),
    ...(Array.isArray(allOf) ? allOf.map((part: JsonValue) => [part]) : []),
    ...[anyOf, oneOf].flatMap((group) => (Array.isArray(group) ? [group as readonly JsonValue[]] : [])),
    ...optional,
  ];
  for (const group of groups) {
    const next: Way[] = [];
    for (const part of group) {
      const own = part === true ? [[]] : alternativesOf({ schema: part, root }, steps - 1);
      if (own === undefined) return undefined;
      for (const way of ways) for (const more of own) next.push([...way, ...more]);
    }
    if (next.length > mostAlternatives) return undefined;
    ways = next;
  }
  return ways;
}

function referenced(root: JsonSchema, reference: JsonValue): JsonValue {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return {};
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return {};
  let value: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodedStep(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = (value as readonly JsonValue[])[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value ?? {};
}

function decodedStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Returns the schema of a field where these schemas hold together; undefined when none of them knows it. */
function fieldIn(way: Way, name: string): JsonValue | undefined {
  if (kindsIn(way)?.has('map') === false) return undefined;
  const found = way.flatMap((part) => declaredField(part, name));
  if (found.length > 0) return found.length === 1 ? found[0] : { allOf: found };
  // Without any declared field, a map takes every name.
  const isFree = way.every(({ properties, patternProperties, additionalProperties }) =>
    [properties, patternProperties, additionalProperties].every((part) => part === undefined),
  );
  return isFree ? true : undefined;
}

function declaredField({ properties, patternProperties, additionalProperties }: JsonObject, name: string): readonly JsonValue[] {
  const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (own !== undefined) return own === false ? [] : [own];
  const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : [];
  const matching = patterns.flatMap(([pattern, schema]) => (schema !== undefined && mayMatch(pattern, name) ? [schema] : []));
  if (matching.length > 0) return matching;
  return additionalProperties === undefined || additionalProperties === false ? [] : [additionalProperties];
}

function mayMatch(pattern: string, name: string): boolean {
  // Patterns come from servers: one that is long, or no pattern, may mean any name.
  if (pattern.length > 200 || /[+*}]\)?[+*{]/.test(pattern)) return true;
  try {
    return new RegExp(pattern, 'u').test(name.slice(0, 200));
  } catch {
    return true;
  }
}

/** Returns the schemas of items where these schemas hold together; undefined when that is no list. */
function itemsIn(way: Way, index: number | undefined): readonly JsonValue[] | undefined {
  if (kindsIn(way)?.has('list') === false) return undefined;
  const found = way.flatMap(({ items, prefixItems, additionalItems }) => {
    // Earlier drafts of JSON Schema list the first items under `items`, and the others under `additionalItems`.
    const first = [prefixItems, items].find((part) => Array.isArray(part)) as readonly JsonValue[] | undefined;
    const rest = Array.isArray(items) ? additionalItems : items;
    if (index !== undefined && index >= 0 && first?.[index] !== undefined) return [first[index]];
    const others = rest === undefined ? [] : [rest];
    return index === undefined || index < 0 ? [...(first ?? []), ...others] : others;
  });
  return found.length === 0 ? [true] : found;
}

function kindsIn(way: Way): ReadonlySet<Kind> | undefined {
  let kinds: ReadonlySet<Kind> | undefined;
  for (const { type } of way) {
    if (type === undefined) continue;
    const own = new Set([type].flat().flatMap((name) => (typeof name === 'string' ? (kindsByType[name] ?? []) : [])));
    kinds = kinds === undefined ? own : new Set([...kinds].filter((kind) => own.has(kind)));
  }
  return kinds ?? constantKinds(constantsIn(way));
}

function constantKinds(constants: readonly JsonValue[] | undefined): ReadonlySet<Kind> | undefined {
  return constants === undefined ? undefined : new Set(constants.map(kindOfConstant));
}

function kindOfConstant(value: JsonValue): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return kindsByType[typeof value] ?? 'map';
}

function constantsIn(way: Way): readonly JsonValue[] | undefined {
  let constants: readonly JsonValue[] | undefined;
  for (const part of way) {
    const own = Object.hasOwn(part, 'const')
      ? [part['const'] ?? null]
      : Array.isArray(part['enum'])
        ? (part['enum'] as readonly JsonValue[])
        : undefined;
    if (own === undefined) continue;
    const same = new Set(own.map((value) => JSON.stringify(value)));
    constants = constants === undefined ? own : constants.filter((value) => same.has(JSON.stringify(value)));
  }
  return constants;
}

function limitOf(part: JsonObject, keys: readonly string[], otherwise: number): number {
  const limits = keys.flatMap((key) => (typeof part[key] === 'number' ? [part[key]] : []));
  return limits.length === 0 ? otherwise : otherwise < 0 ? Math.max(...limits) : Math.min(...limits);
}
