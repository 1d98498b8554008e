import { oneOf, isMap } from './values.ts';
import type { Check, FieldsOf, OptionalSchema, Problem, Schema, SchemaFields, StoredKeys, TypeOf } from './schema.ts';

/** A key that may be absent. */
export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  const { form, check } = schema;
  return { form, check: (value) => (value === undefined ? undefined : check(value)), isOptional: true, present: schema };
}

/** A value or null. */
export function nullable<T>(of: Schema<T>): Schema<T | null> {
  return { form: { kind: 'nullable', of }, check: (value) => (value === null ? undefined : of.check(value)) };
}

/** A list of values. */
export function list<T>(of: Schema<T>): Schema<readonly T[]> {
  return { form: { kind: 'list', of }, check: (value) => checkList(value, of.check) };
}

function checkList(value: unknown, inner: Check): Problem | undefined {
  if (!Array.isArray(value)) return { path: '', wanted: 'a list' };
  for (let index = 0; index < value.length; index += 1) {
    const problem = inner(value[index]);
    if (problem !== undefined) return { ...problem, path: `[${index}]${problem.path}` };
  }
  return undefined;
}

/** An object with values of one kind under any keys. */
export function mapOf<T>(of: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return {
    form: { kind: 'values', of },
    check: (value) => {
      if (!isMap(value)) return noMap;
      for (const [key, entry] of Object.entries(value)) {
        const problem = of.check(entry);
        if (problem !== undefined) return under(key, problem);
      }
      return undefined;
    },
  };
}

/** An object with known keys; unknown keys, as later versions may add, pass. `keys` are the short keys of its stored form. */
export function record<T>(fields: FieldsOf<T>, keys: { readonly [Key in keyof T]?: string } = {}): Schema<T> {
  return recordOf(fields, keys as StoredKeys) as Schema<T>;
}

/** A record whose type is that of its fields. */
export function recordOf(fields: SchemaFields, keys: StoredKeys): Schema {
  const checks = Object.entries(fields).map(([key, { check }]) => [key, check] as const);
  return {
    form: { kind: 'record', fields, keys },
    check: (value) => {
      if (!isMap(value)) return noMap;
      for (const [key, inner] of checks) {
        const problem = inner(Object.hasOwn(value, key) ? value[key] : undefined);
        if (problem !== undefined) return under(key, problem);
      }
      return undefined;
    },
  };
}

/** A record of one of several kinds; the value under `key` selects the kind. */
export function variants<Kinds extends Readonly<Record<string, Schema>>>(
  key: string,
  kinds: Kinds,
): Schema<TypeOf<Kinds[keyof Kinds]>> {
  const word = oneOf(...Object.keys(kinds));
  return {
    form: { kind: 'variants', key, kinds },
    check: (value) => {
      if (!isMap(value)) return noMap;
      const kind = Object.hasOwn(value, key) ? value[key] : undefined;
      const problem = word.check(kind);
      return problem === undefined ? kinds[String(kind)]?.check(value) : under(key, problem);
    },
  };
}

/** Either of two forms. */
export function either<First, Second>(first: Schema<First>, second: Schema<Second>): Schema<First | Second> {
  return {
    form: { kind: 'either', first, second },
    check: (value) => (first.check(value) === undefined ? undefined : second.check(value)),
  };
}

const noMap: Problem = { path: '', wanted: 'an object' };

function under(key: string, problem: Problem): Problem {
  const name = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return { ...problem, path: `.${name}${problem.path}` };
}

/** True for the schema of a key that may be absent. */
export function isOptional(schema: Schema): schema is OptionalSchema {
  return 'isOptional' in schema;
}
