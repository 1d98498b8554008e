import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';

/** Properties of an object schema. */
export type Properties = Readonly<Record<string, JsonSchema>>;

/** Words the loader uses in messages; editors ignore keys they do not know. */
interface Annotations {
  /** What the value must be, for a pattern: "a name like …". */
  readonly 'x-expects'?: string;
  /** Hints for values that belong elsewhere, by value. */
  readonly 'x-elsewhere'?: Readonly<Record<string, string>>;
  /** Hints for keys of other systems or other places, by key. */
  readonly 'x-mistakes'?: Readonly<Record<string, string>>;
  /** What the object is, for messages about its keys. */
  readonly 'x-what'?: string;
}

/** An object with exactly these keys. */
export function object(
  description: string,
  properties: Properties,
  more: Annotations & { readonly required?: readonly string[] } = {},
): JsonSchema {
  return { type: 'object', description, properties, additionalProperties: false, ...annotated(more) };
}

/** An object of a kind named by one of its keys, each kind with its own keys. Without that key it may be a partial override. */
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
    [key]: { enum: Object.keys(kinds), description: `Which kind of ${what} it is.`, ...annotated(keySchema ?? {}) },
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

/** A schema that depends on another. */
export function ifThen(condition: JsonSchema, consequence: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; the object is data and is never awaited
  return { if: condition, then: consequence, ...(otherwise === undefined ? {} : { else: otherwise }) };
}

/** A list. */
export function list(description: string, items: JsonSchema): JsonSchema {
  return { type: 'array', description, items };
}

/** A text of any kind. */
export function text(description: string): JsonSchema {
  return { type: 'string', description };
}

/** A text that says something. */
export function words(description: string): JsonSchema {
  return { type: 'string', pattern: '\\S', 'x-expects': 'a text that is not blank', description };
}

/** A text of a fixed form. */
export function pattern(description: string, expression: string, expects: string): JsonSchema {
  return { type: 'string', pattern: expression, 'x-expects': expects, description };
}

/** One of some texts. */
export function oneOf(description: string, values: readonly string[], more: Annotations = {}): JsonSchema {
  return { enum: values, description, ...annotated(more) };
}

/** A whole number from `least` up. */
export function whole(description: string, least: number): JsonSchema {
  return { type: 'integer', minimum: least, description };
}

/** A number between bounds. */
export function number(description: string, least: number, most?: number): JsonSchema {
  return { type: 'number', minimum: least, ...(most === undefined ? {} : { maximum: most }), description };
}

/** True or false. */
export function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

/** A map with free keys. */
export function freeMap(description: string): JsonSchema {
  return { type: 'object', description };
}

/** Kinds of things that profiles call by name. */
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
] as const;

/** A kind of thing that profiles call by name. */
export type NameKind = (typeof nameKinds)[number];

/** Marks a text as the name of a thing, for the schemas of editors, which complete those there are (`with-names.ts`). */
export function named(schema: JsonSchema, ...kinds: readonly NameKind[]): JsonSchema {
  return { ...schema, 'x-names': kinds };
}

/** A list of names of things. */
export function names(description: string, ...kinds: readonly NameKind[]): JsonSchema {
  return list(description, named(words('A name.'), ...kinds));
}

/** A condition, in the expression language. */
export const condition: JsonSchema = {
  type: ['string', 'boolean'],
  pattern: '\\S',
  'x-expects': 'a condition that is not blank',
  description:
    "A CEL expression over state, meta, team, run, flags, counters, inbox, turn, …; v['state.x'] reads a path, missing is null.",
};

/** The id of a list item. */
export const itemId = pattern(
  'Identifies the item; a profile that inherits overrides or removes it by this id.',
  '^[\\w.:-]{1,100}$',
  'letters, digits and . : _ -, at most 100',
);

/** Drops the inherited item of the same id. */
export const remove: JsonSchema = { const: true, description: 'Drops the inherited item with this id.' };

/** Where an item stands in a list that is asked in order. */
export const before = pattern(
  'The id of the item in front of which this one stands; without it, new items come last.',
  '^[\\w.:-]{1,100}$',
  'the id of an item of this list',
);

/** The kind of an inbox item. */
export const inboxSource = named(
  pattern('The kind of inbox item, in upper case.', '^[A-Z][A-Z0-9_]{0,99}$', 'upper case letters, digits and _, like USER_PROMPT'),
  'sources',
);

/** A duration: seconds as a number, or a text with its unit. */
export const duration: JsonSchema = {
  type: ['number', 'string'],
  exclusiveMinimum: 0,
  pattern: '^\\d+(\\.\\d+)?(ms|s|m|h)$',
  'x-expects': 'seconds as a number, or a text like 500ms, 30s, 10m, 1h',
  description: 'Seconds as a number, or a text like 500ms, 30s, 10m, 1h.',
};

/** A duration that 0 turns off. */
export const durationOrZero: JsonSchema = { ...withoutMinimum(duration), minimum: 0 };

function withoutMinimum({ exclusiveMinimum: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** The name of a profile, protocol or LLM config. */
export function name(description: string): JsonSchema {
  return pattern(description, '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}$', 'letters, digits and _ . -, at most 80, no spaces');
}

/** One name or a list of names of things. */
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

/** A JSON Schema inside a profile; its own shape is checked apart. */
export function jsonSchema(description: string): JsonSchema {
  return { type: 'object', description };
}

function annotated(more: object): JsonObject {
  return Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) as Record<string, JsonValue>;
}
