import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../json.ts';

/** True when a value surely fits its schema. False says nothing: the value has to be examined. */
export type PlainCheck = (value: JsonValue | undefined) => boolean;

/** Keywords without effect on a check, with the test that their value is well-formed. */
const notes: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  title: isText,
  description: isText,
  $comment: isText,
  format: isText,
  deprecated: isFlag,
  readOnly: isFlag,
  default: () => true,
  examples: (value) => Array.isArray(value),
};

/** What a plain schema may still hold. */
interface Room {
  readonly depth: number;
  readonly schemas: { left: number };
  /** The whole schema, when it is one of Cadre's own. */
  readonly own?: JsonSchema;
}

type Keyword = (value: JsonValue, room: Room, schema: JsonObject) => PlainCheck | undefined;

/** Deepest nesting of a plain schema, and most schemas in it: a larger one is left to the limits of those that are compiled. */
const maxDepth = 24;
const maxSchemas = 2_000;
const yes: PlainCheck = () => true;
const no: PlainCheck = () => false;

/**
 * Returns a check of the values of a plain schema; undefined for any other schema. A plain schema is surely valid in each draft and consists
 * of keywords whose meaning is the same everywhere, so a validator of it need not be compiled until the check does not say yes.
 */
export function plainCheck(schema: JsonSchema): PlainCheck | undefined {
  return checkOf(schema, { depth: 0, schemas: { left: maxSchemas } });
}

/**
 * Returns a check of the values of one of Cadre's own schemas, which may also have patterns and references: those of others could take
 * unlimited time.
 */
export function ownCheck(schema: JsonSchema): PlainCheck | undefined {
  return checkOf(schema, { depth: 0, schemas: { left: maxSchemas }, own: schema });
}

function checkOf(schema: JsonValue | undefined, room: Room): PlainCheck | undefined {
  const { depth, schemas } = room;
  schemas.left -= 1;
  if (depth > maxDepth || schemas.left < 0) return undefined;
  if (schema === true) return yes;
  if (!isJsonObject(schema)) return undefined;
  const inside = { ...room, depth: depth + 1 };
  const checks: PlainCheck[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) return undefined;
    // Notes of those who wrote the schema; Cadre's own keywords are checks.
    if (/^x-(?!cadre-)/.test(key)) continue;
    if (Object.hasOwn(notes, key)) {
      if (notes[key]?.(value) !== true) return undefined;
      continue;
    }
    const check = Object.hasOwn(keywords, key) ? keywords[key]?.(value, inside, schema) : undefined;
    if (check === undefined) return undefined;
    checks.push(check);
  }
  return every(checks);
}

const keywords: Readonly<Record<string, Keyword>> = {
  type: (value) => {
    const names = Array.isArray(value) ? value : [value];
    const tests = names.map((name) => (typeof name === 'string' && Object.hasOwn(types, name) ? types[name] : undefined));
    if (tests.length === 0 || new Set(names).size < names.length) return undefined;
    if (tests.length === 1) return tests[0];
    return tests.every((test) => test !== undefined) ? (given) => tests.some((test) => test(given)) : undefined;
  },
  enum: (value) => {
    if (!Array.isArray(value) || value.length === 0 || !value.every(isPrimitive)) return undefined;
    const known = new Set<unknown>(value);
    return known.size === value.length ? (given) => isPrimitive(given) && known.has(given) : undefined;
  },
  const: (value) => (isPrimitive(value) ? (given) => given === value : undefined),
  minimum: bound((limit) => (given) => typeof given !== 'number' || given >= limit),
  maximum: bound((limit) => (given) => typeof given !== 'number' || given <= limit),
  exclusiveMinimum: bound((limit) => (given) => typeof given !== 'number' || given > limit),
  exclusiveMaximum: bound((limit) => (given) => typeof given !== 'number' || given < limit),
  minLength: count((limit) => (given) => typeof given !== 'string' || lengthOf(given) >= limit),
  maxLength: count((limit) => (given) => typeof given !== 'string' || given.length <= limit || lengthOf(given) <= limit),
  minItems: count((limit) => (given) => !Array.isArray(given) || given.length >= limit),
  maxItems: count((limit) => (given) => !Array.isArray(given) || given.length <= limit),
  minProperties: count((limit) => (given) => !isJsonObject(given) || Object.keys(given).length >= limit),
  maxProperties: count((limit) => (given) => !isJsonObject(given) || Object.keys(given).length <= limit),
  items: (value, room) => {
    const item = checkOf(value, room);
    return item === undefined ? undefined : (given) => !Array.isArray(given) || given.every((each) => item(each));
  },
  uniqueItems: (value) => {
    if (value === false) return yes;
    if (value !== true) return undefined;
    return (given) => !Array.isArray(given) || (given.every(isText) && new Set(given).size === given.length);
  },
  required: (value) => {
    if (!Array.isArray(value) || !value.every(isName) || new Set(value).size < value.length) return undefined;
    return (given) => {
      if (!isJsonObject(given)) return true;
      for (const key of value) if (!Object.hasOwn(given, key) || given[key] === undefined) return false;
      return true;
    };
  },
  properties: (value, room, { additionalProperties: others, patternProperties }) => {
    const checks = propertyChecks(value, room);
    if (checks === undefined || (others !== undefined && patternProperties !== undefined)) return undefined;
    if (others === undefined) return fieldsCheck(checks, yes);
    const check = others === false ? no : checkOf(others, room);
    return check === undefined ? undefined : fieldsCheck(checks, check);
  },
  // With `properties`, part of their check.
  additionalProperties: (value, room, { properties, patternProperties }) => {
    if (patternProperties !== undefined) return undefined;
    if (properties !== undefined) return isJsonObject(properties) ? yes : undefined;
    const check = value === false ? no : checkOf(value, room);
    return check === undefined ? undefined : fieldsCheck(new Map(), check);
  },
  if: (value, room, { then = true, else: otherwise = true }) => {
    const [first, second, third] = [checkOf(value, room), checkOf(then, room), checkOf(otherwise, room)];
    if (first === undefined || second === undefined || third === undefined || mentionsUnique(value)) return undefined;
    return (given) => (first(given) ? second(given) : third(given));
  },
  // Belong to `if`, without which they mean nothing.
  then: (value, room, schema) => (schema['if'] === undefined ? checkOf(value, room) && yes : yes),
  else: (value, room, schema) => (schema['if'] === undefined ? checkOf(value, room) && yes : yes),
  pattern: (value, { own }) => {
    if (own === undefined || typeof value !== 'string') return undefined;
    const expression = new RegExp(value, 'u');
    return (given) => typeof given !== 'string' || expression.test(given);
  },
  $ref: (value, { own }) => {
    if (own === undefined || typeof value !== 'string' || !/^#(?:$|\/)/.test(value)) return undefined;
    let check: PlainCheck | undefined;
    return (given) => {
      check ??= checkOf(targetOf(own, value), { depth: 0, schemas: { left: maxSchemas }, own }) ?? ((): boolean => false);
      return check(given);
    };
  },
  $defs: (_value, { own }) => (own === undefined ? undefined : yes),
  anyOf: (value, room) => {
    const checks = checksOf(value, room);
    return checks === undefined ? undefined : (given) => checks.some((check) => check(given));
  },
  allOf: (value, room) => {
    const checks = checksOf(value, room);
    return checks === undefined ? undefined : every(checks);
  },
};

const types: Readonly<Record<string, PlainCheck>> = {
  string: isText,
  boolean: isFlag,
  null: (value) => value === null,
  number: Number.isFinite,
  integer: Number.isInteger,
  array: Array.isArray,
  object: isJsonObject,
};

/** Combines checks; those that always say yes are left out. */
function every(all: readonly PlainCheck[]): PlainCheck {
  const checks = all.filter((check) => check !== yes);
  const [first = yes, ...rest] = checks;
  if (rest.length === 0) return first;
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

/** Checks each field of a map by its name, and the `others` by one check. */
function fieldsCheck(checks: ReadonlyMap<string, PlainCheck>, others: PlainCheck): PlainCheck {
  return (given) => {
    if (!isJsonObject(given)) return true;
    for (const key in given) {
      const value = given[key];
      const check = checks.get(key);
      if (check === undefined) {
        if (others !== yes && !others(value)) return false;
      } else if (value !== undefined && !check(value)) return false;
    }
    return true;
  };
}

function bound(checkFor: (limit: number) => PlainCheck): Keyword {
  return (limit) => (typeof limit === 'number' && Number.isFinite(limit) ? checkFor(limit) : undefined);
}

function count(checkFor: (limit: number) => PlainCheck): Keyword {
  return (limit) => (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 0 ? checkFor(limit) : undefined);
}

function checksOf(value: JsonValue, room: Room): readonly PlainCheck[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const checks = value.map((each) => checkOf(each, room)).filter((check) => check !== undefined);
  return checks.length === value.length ? checks : undefined;
}

/** A check of unique items may say no to items that are unique: what follows from its no is not sure. */
function mentionsUnique(schema: JsonValue): boolean {
  return JSON.stringify(schema).includes('uniqueItems') || JSON.stringify(schema).includes('$ref');
}

function targetOf(root: JsonSchema, reference: string): JsonValue | undefined {
  let target: JsonValue | undefined = root;
  for (const step of reference.split('/').slice(1))
    target = isJsonObject(target) && Object.hasOwn(target, step) ? target[step] : undefined;
  return target;
}

function propertyChecks(value: JsonValue, room: Room): ReadonlyMap<string, PlainCheck> | undefined {
  if (!isJsonObject(value)) return undefined;
  const checks = new Map<string, PlainCheck>();
  for (const [key, property] of Object.entries(value)) {
    const check = isName(key) ? checkOf(property, room) : undefined;
    if (check === undefined) return undefined;
    checks.set(key, check);
  }
  return checks;
}

/** Names that every object has, and that a validator may treat in a way that others have not, are not plain. */
function isName(value: JsonValue): value is string {
  return typeof value === 'string' && !(value in Object.prototype);
}

/** Length in code points, as schemas count. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

function isFlag(value: JsonValue | undefined): boolean {
  return typeof value === 'boolean';
}

function isPrimitive(value: JsonValue | undefined): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
