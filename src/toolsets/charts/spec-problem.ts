import { closestName } from '../../core/expression/closest-name.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** Mismatch between a value and a schema. */
export interface SpecProblem {
  /** JSON pointer; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

interface Found {
  readonly path: readonly string[];
  readonly what: string;
  /** Values that the schema allows here, for a wrong value. */
  readonly allowed?: readonly JsonValue[];
  readonly value?: JsonValue | undefined;
}

/**
 * Finds the first mismatch between a value and a large JSON Schema; among alternatives, that of the one that matches furthest. Interprets
 * the schema, since compiling that of Vega-Lite takes eight seconds. Supports only the keywords that this schema uses.
 */
export function findSpecProblem(schema: JsonObject, value: JsonValue): SpecProblem | undefined {
  const definitions = isJsonObject(schema['definitions']) ? schema['definitions'] : {};
  const found = new Checker(definitions).check(schema, value, []);
  if (found === undefined) return undefined;
  return { path: found.path.map((part) => `/${part}`).join(''), message: inWords(found) };
}

/** One check of one value; remembers results, since alternatives share their parts. */
class Checker {
  readonly #definitions: JsonObject;
  readonly #seen = new Map<JsonObject, Map<string, Found | undefined>>();

  constructor(definitions: JsonObject) {
    this.#definitions = definitions;
  }

  check(schema: JsonObject, value: JsonValue, path: readonly string[]): Found | undefined {
    const key = path.join('/');
    const known = this.#seen.get(schema) ?? new Map<string, Found | undefined>();
    this.#seen.set(schema, known);
    if (known.has(key)) return known.get(key);
    const found = this.#look(schema, value, path);
    known.set(key, found);
    return found;
  }

  #look(schema: JsonObject, value: JsonValue, path: readonly string[]): Found | undefined {
    const { $ref: ref, anyOf, const: constant, enum: values } = schema;
    if (typeof ref === 'string') {
      const target = this.#definitions[decodeURIComponent(ref.replace('#/definitions/', ''))];
      return isJsonObject(target) ? this.check(target, value, path) : undefined;
    }
    if (Array.isArray(anyOf)) return this.#anyOf(anyOf as readonly JsonObject[], value, path);
    if (constant !== undefined && constant !== value) return { path, what: 'value', allowed: [constant], value };
    if (Array.isArray(values) && !(values as readonly JsonValue[]).includes(value))
      return { path, what: 'value', allowed: values as readonly JsonValue[], value };
    return typeProblem(schema['type'], value, path) ?? this.#parts(schema, value, path);
  }

  #anyOf(branches: readonly JsonObject[], value: JsonValue, path: readonly string[]): Found | undefined {
    const all: Found[] = [];
    for (const branch of branches) {
      const found = this.check(branch, value, path);
      if (found === undefined) return undefined;
      all.push(found);
    }
    const deepest = Math.max(...all.map((found) => found.path.length));
    const best = all.filter((found) => found.path.length === deepest);
    const [first] = best;
    // Alternatives that allow different values at one place become one message.
    const rivals = best.filter((found) => found.allowed !== undefined && found.path.join('/') === first?.path.join('/'));
    const [rival] = rivals;
    return rival === undefined ? first : { ...rival, allowed: [...new Set(rivals.flatMap((found) => found.allowed ?? []))] };
  }

  #parts(schema: JsonObject, value: JsonValue, path: readonly string[]): Found | undefined {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (!isJsonObject(items)) return undefined;
      return firstOf(value as readonly JsonValue[], (item, index) => this.check(items, item, [...path, String(index)]));
    }
    if (!isJsonObject(value)) return undefined;
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = (schema['required'] ?? []) as readonly string[];
    const missing = required.find((name) => value[name] === undefined);
    if (missing !== undefined) return { path, what: `lacks "${missing}"` };
    return firstOf(Object.entries(value), ([name, item]) => {
      const property = properties[name] ?? schema['additionalProperties'];
      if (property === false) return { path: [...path, name], what: `is not known here${hint(name, Object.keys(properties))}` };
      return isJsonObject(property) && item !== undefined ? this.check(property, item, [...path, name]) : undefined;
    });
  }
}

function firstOf<Item>(items: readonly Item[], look: (item: Item, index: number) => Found | undefined): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function typeProblem(type: JsonValue | undefined, value: JsonValue, path: readonly string[]): Found | undefined {
  if (type === undefined) return undefined;
  const types = (Array.isArray(type) ? type : [type]) as readonly string[];
  const actual = kindOf(value);
  if (types.includes(actual) || (types.includes('integer') && Number.isInteger(value))) return undefined;
  return { path, what: `must be ${types.join(' or ')}, and is ${actual}` };
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function inWords({ what, allowed, value }: Found): string {
  if (allowed === undefined) return what;
  const texts = allowed.filter((item) => typeof item === 'string');
  const shown = allowed.slice(0, 20).map((item) => JSON.stringify(item));
  const list = `${shown.join(', ')}${allowed.length > shown.length ? ', …' : ''}`;
  const given = JSON.stringify(value)?.slice(0, 100);
  return `must be ${allowed.length === 1 ? '' : 'one of '}${list}, and is ${given}${hint(typeof value === 'string' ? value : '', texts)}`;
}

function hint(name: string, names: readonly string[]): string {
  const meant = name === '' ? undefined : closestName(name, names);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
