import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';

/** Properties of an object schema. */
export type Properties = Readonly<Record<string, JsonSchema>>;

/** Texts for the loader's messages; editors ignore unknown keywords. */
interface Annotations {
  /** Description of valid values, for a pattern: "a name like …". */
  readonly 'x-expects'?: string;
  /** Hints for misplaced values, by value. */
  readonly 'x-elsewhere'?: Readonly<Record<string, string>>;
  /** Hints for misplaced keys and keys of other systems, by key. */
  readonly 'x-mistakes'?: Readonly<Record<string, string>>;
  /** Name of the object in messages about its keys. */
  readonly 'x-what'?: string;
}

/** Returns the schema of an object with exactly these keys. */
export function object(
  description: string,
  properties: Properties,
  more: Annotations & { readonly required?: readonly string[] } = {},
): JsonSchema {
  return { type: 'object', description, properties, additionalProperties: false, ...annotated(more) };
}

/** Returns the schema of an object with a key for its kind and further keys per kind. Without that key, it is a partial override. */
export function variants(options: {
  readonly description: string;
  readonly what: string;
  readonly key: string;
  readonly keySchema?: Annotations;
  readonly common: Properties;
  readonly kinds: Readonly<Record<string, Properties>>;
  readonly more?: Annotations & { readonly required?: readonly string[] };
}): JsonSchema {
  const { description, what, key, keySchema, common, kinds, more } = options;
  const properties: Record<string, JsonSchema> = {
    [key]: { enum: Object.keys(kinds), description: `Kind of ${what}.`, ...annotated(keySchema ?? {}) },
  };
  Object.assign(properties, common, ...Object.values(kinds));
  const any: JsonObject = {};
  const allOf = Object.entries(kinds).map(([kind, own]) =>
    ifThen(
      { properties: { [key]: { const: kind } }, required: [key] },
      {
        properties: Object.fromEntries([key, ...Object.keys(common), ...Object.keys(own)].map((name) => [name, any])),
        additionalProperties: false,
        'x-what': `${what} \`${kind}\``,
      },
    ),
  );
  return { ...object(description, properties, more), allOf };
}

/** Returns a conditional schema. */
export function ifThen(condition: JsonSchema, consequence: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; the object is data and is never awaited
  return { if: condition, then: consequence, ...(otherwise === undefined ? {} : { else: otherwise }) };
}

/** Returns the schema of a list. */
export function list(description: string, items: JsonSchema): JsonSchema {
  return { type: 'array', description, items };
}

/** Returns the schema of any text. */
export function text(description: string): JsonSchema {
  return { type: 'string', description };
}

/** Returns the schema of a text that is not blank. */
export function words(description: string): JsonSchema {
  return { type: 'string', pattern: '\\S', 'x-expects': 'a text that is not blank', description };
}

/** Returns the schema of a text that matches a pattern. */
export function pattern(description: string, expression: string, expects: string): JsonSchema {
  return { type: 'string', pattern: expression, 'x-expects': expects, description };
}

/** Returns the schema of an enumeration. */
export function oneOf(description: string, values: readonly string[], more: Annotations = {}): JsonSchema {
  return { enum: values, description, ...annotated(more) };
}

/** Returns the schema of a whole number of at least `least`. */
export function whole(description: string, least: number): JsonSchema {
  return { type: 'integer', minimum: least, description };
}

/** Returns the schema of a number between bounds. */
export function number(description: string, least: number, most?: number): JsonSchema {
  return { type: 'number', minimum: least, ...(most === undefined ? {} : { maximum: most }), description };
}

/** Returns the schema of a boolean. */
export function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

/** Returns the schema of a map with any keys. */
export function freeMap(description: string): JsonSchema {
  return { type: 'object', description };
}

/** Kinds of things that profiles refer to by name. */
export const nameKinds = [
  'profiles',
  'llm_configs',
  'handover_protocols',
  'tools',
  'toolsets',
  'ingestors',
  'observers',
  'sources',
  'scripts',
  'teams',
  'state_paths',
] as const;

/** Kind of thing that profiles refer to by name. */
export type NameKind = (typeof nameKinds)[number];

/** Marks a text as a name, so that editors can complete the known ones (`with-names.ts`). */
export function named(schema: JsonSchema, ...kinds: readonly NameKind[]): JsonSchema {
  return { ...schema, 'x-names': kinds };
}

/** Marks a map whose keys are state paths, or what follows a root such as `flags` in them, so that editors can complete the known ones. */
export function keyed(schema: JsonSchema, root?: 'flags' | 'values' | 'shared'): JsonSchema {
  return { ...schema, 'x-key-names': root ?? 'state_paths' };
}

/** Returns the schema of a list of names. */
export function names(description: string, ...kinds: readonly NameKind[]): JsonSchema {
  return list(description, named(words('A name.'), ...kinds));
}

/** Schema of a condition in the expression language. */
export const condition: JsonSchema = {
  type: ['string', 'boolean'],
  pattern: '\\S',
  'x-expects': 'a condition that is not blank',
  description:
    "A CEL expression over state, meta, team, run, flags, counters, inbox, turn, …; v['state.x'] reads a path, missing values are null.",
};

/** Schema of the id of a list item. */
export const itemId = pattern(
  'Id of the item; inheriting profiles override or remove it by this id.',
  '^[\\w.:-]{1,100}$',
  'letters, digits and . : _ -, at most 100',
);

/** Schema of the flag that removes the inherited item with the same id. */
export const remove: JsonSchema = { const: true, description: 'Removes the inherited item with this id.' };

/** Schema of the position of an item in an ordered list. */
export const before = pattern(
  'Id of the item to place this one before; by default, new items come last.',
  '^[\\w.:-]{1,100}$',
  'the id of an item of this list',
);

/** Schema of an inbox source. */
export const inboxSource = named(
  pattern(
    'Source of the inbox item, in upper case.',
    '^[A-Z][A-Z0-9_]{0,99}$',
    'upper case letters, digits and _, like USER_PROMPT',
  ),
  'sources',
);

/** Schema of a duration: seconds as a number, or a text with a unit. */
export const duration: JsonSchema = {
  type: ['number', 'string'],
  exclusiveMinimum: 0,
  pattern: '^\\d+(\\.\\d+)?(ms|s|m|h)$',
  'x-expects': 'seconds as a number, or a text like 500ms, 30s, 10m, 1h',
  description: 'Seconds as a number, or a text like 500ms, 30s, 10m, 1h.',
};

/** Schema of a duration that may be 0, which turns the feature off. */
export const durationOrZero: JsonSchema = { ...withoutMinimum(duration), minimum: 0 };

function withoutMinimum({ exclusiveMinimum: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Returns the schema of the name of a profile, protocol or LLM config. */
export function name(description: string): JsonSchema {
  return pattern(description, '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}$', 'letters, digits and _ . -, at most 80, no spaces');
}

/** Returns the schema of one name or a list of names. */
export function nameOrNames(description: string, ...kinds: readonly NameKind[]): JsonSchema {
  return {
    type: ['string', 'array'],
    pattern: '\\S',
    'x-expects': 'a name that is not blank',
    'x-names': kinds,
    items: named(words('A name.'), ...kinds),
    description,
  };
}

/** Returns the schema of a JSON Schema inside a profile, whose own shape is checked separately. */
export function jsonSchema(description: string): JsonSchema {
  return { type: 'object', description };
}

function annotated(more: object): JsonObject {
  return Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) as Record<string, JsonValue>;
}
