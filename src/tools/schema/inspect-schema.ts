import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { mapSchema, subSchemas, type SubSchema } from './map-schema.ts';

/** Most schemas that may apply to one value, each counted as often as it is reached. */
const maxChecksPerValue = 20_000;

/** Keywords whose schemas apply to the same value as the schema that contains them. */
const inPlace = new Set(['allOf', 'anyOf', 'dependencies', 'dependentSchemas', 'else', 'if', 'not', 'oneOf', 'then']);
/** Keywords only later drafts have; draft-07 would ignore them. */
const laterKeywords = [
  '$dynamicRef',
  '$recursiveRef',
  'dependentRequired',
  'dependentSchemas',
  'maxContains',
  'minContains',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** Drafts a schema can be compiled as. */
export type Draft = 'draft-07' | '2020-12';

/** A schema made safe to compile, or the reason it cannot be. */
export type InspectedSchema =
  | { readonly ok: true; readonly schema: JsonObject; readonly draft: Draft }
  | { readonly ok: false; readonly problem: string };

/**
 * Prepares an external schema for compiling (FAULTS P4). Strips ids, so that no two schemas clash. Reports references that leave the
 * schema, lead nowhere or form a circle, and schemas that multiply.
 */
export function inspectSchema(root: JsonObject): InspectedSchema {
  const draft = draftOf(root);
  const schema = mapSchema(root, (inner) => withoutIds(inner, root['$id']));
  const problem = referenceProblem(schema);
  return problem === undefined ? { ok: true, schema, draft } : { ok: false, problem };
}

function draftOf(root: JsonObject): Draft {
  const declared = root['$schema'];
  if (typeof declared === 'string' && /draft-0[3-7]/.test(declared)) return 'draft-07';
  if (typeof declared === 'string' && /20(19-09|20-12)/.test(declared)) return '2020-12';
  return usesLater(root) ? '2020-12' : 'draft-07';
}

function usesLater(schema: JsonObject): boolean {
  return (
    laterKeywords.some((keyword) => Object.hasOwn(schema, keyword)) || subSchemas(schema).some((inner) => usesLater(inner.schema))
  );
}

/** Drops ids and the nullable shorthand of OpenAPI; a reference by the root's own id becomes a local one. */
function withoutIds(schema: JsonObject, rootId: JsonValue | undefined): JsonObject {
  const entries = Object.entries(schema).filter(([key]) => key !== '$id' && key !== 'id' && key !== '$schema');
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === '$ref' && typeof value === 'string' ? localRef(value, rootId) : value]),
  );
}

function localRef(ref: string, rootId: JsonValue | undefined): string {
  if (typeof rootId !== 'string' || rootId === '') return ref;
  const own = rootId.replace(/#$/, '');
  if (ref === own || ref === `${own}#`) return '#';
  return ref.startsWith(`${own}#`) ? ref.slice(own.length) : ref;
}

/** Follows every reference and counts how many schemas apply to one value; references in a circle are a problem. */
function referenceProblem(root: JsonObject): string | undefined {
  const counts = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();
  const anchors = new Map<string, JsonObject>();
  collectAnchors(root, anchors);
  let problem: string | undefined;
  const count = (schema: JsonObject): number => {
    const known = counts.get(schema);
    if (known !== undefined || problem !== undefined) return known ?? 0;
    if (open.has(schema)) {
      problem = 'a $ref refers to itself without going deeper into the value';
      return 0;
    }
    open.add(schema);
    let total = 1;
    for (const inner of appliedHere(schema)) total += count(inner.schema);
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const target = refTarget(schema[keyword], root, anchors);
      if (typeof target === 'string') problem ??= target;
      else if (target !== undefined) total += count(target);
    }
    open.delete(schema);
    counts.set(schema, total);
    if (total > maxChecksPerValue) problem ??= `more than ${maxChecksPerValue} schemas apply to one value`;
    return total;
  };
  const visit = (schema: JsonObject): void => {
    count(schema);
    for (const inner of subSchemas(schema)) if (problem === undefined) visit(inner.schema);
  };
  visit(root);
  return problem;
}

function appliedHere(schema: JsonObject): readonly SubSchema[] {
  return subSchemas(schema).filter((inner) => inPlace.has(inner.keyword));
}

function collectAnchors(schema: JsonObject, anchors: Map<string, JsonObject>): void {
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    const name = schema[keyword];
    if (typeof name === 'string') anchors.set(name, schema);
  }
  for (const inner of subSchemas(schema)) collectAnchors(inner.schema, anchors);
}

/** Returns the schema a reference leads to, undefined when there is none to follow, or a text that describes its problem. */
function refTarget(
  ref: JsonValue | undefined,
  root: JsonObject,
  anchors: ReadonlyMap<string, JsonObject>,
): JsonObject | string | undefined {
  if (typeof ref !== 'string') return undefined;
  if (!ref.startsWith('#'))
    return `$ref ${JSON.stringify(ref.slice(0, 120))} leaves the schema, and nothing is fetched; put what it names under definitions`;
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return anchors.get(ref.slice(1)) ?? `$ref ${JSON.stringify(ref.slice(0, 120))} leads nowhere`;
  let target: JsonValue | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    const key = decodeStep(step);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key))
      return `$ref ${JSON.stringify(ref.slice(0, 120))} leads nowhere`;
    target = (target as JsonObject)[key];
  }
  return isJsonObject(target) ? target : undefined;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // A stray percent sign: used literally.
    return step.replaceAll('~1', '/').replaceAll('~0', '~');
  }
}
