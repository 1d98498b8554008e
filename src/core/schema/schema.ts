/** A fault in a value from outside: its place, and the allowed values. */
export interface Problem {
  /** Like `.item.source` or `[3].at`; empty for the value itself. */
  readonly path: string;
  readonly wanted: string;
}

/** Checks a value; returns undefined when it is valid. */
export type Check = (value: unknown) => Problem | undefined;

/** Form of a value as data, for readers other than the check: JSON Schema, the stored layout, generators of test values. */
export type Form =
  | { readonly kind: 'text'; readonly pattern?: RegExp }
  | { readonly kind: 'flag' | 'number' | 'count' | 'time' | 'json' | 'map' }
  | { readonly kind: 'words'; readonly words: readonly (string | number | boolean)[] }
  | { readonly kind: 'nullable' | 'list' | 'values'; readonly of: Schema }
  | { readonly kind: 'record'; readonly fields: SchemaFields; readonly keys: StoredKeys }
  | { readonly kind: 'variants'; readonly key: string; readonly kinds: Readonly<Record<string, Schema>> }
  | { readonly kind: 'either'; readonly first: Schema; readonly second: Schema };

declare const described: unique symbol;

/** Describes the values of a type: one definition for the compiler, for checks, and for everything that reads `form`. */
export interface Schema<out T = unknown> {
  readonly form: Form;
  readonly check: Check;
  /** The type it describes; never a value. */
  readonly [described]?: T;
}

/** Schema of a key that may be absent. */
export interface OptionalSchema<out T = unknown> extends Schema<T> {
  readonly isOptional: true;
  /** The schema of a value that is there. */
  readonly present: Schema<T>;
}

/** Schemas of a record's keys. */
export type SchemaFields = Readonly<Record<string, Schema>>;

/** Short keys under which fields are stored. A field without one keeps its name. */
export type StoredKeys = Readonly<Record<string, string>>;

/** The type that a schema describes. */
export type TypeOf<Of> = Of extends Schema<infer T> ? T : never;

/** The record that fields describe. */
export type RecordOf<Fields extends SchemaFields> = {
  readonly [Key in keyof Fields as Fields[Key] extends OptionalSchema ? never : Key]: TypeOf<Fields[Key]>;
} & { readonly [Key in keyof Fields as Fields[Key] extends OptionalSchema ? Key : never]?: TypeOf<Fields[Key]> };

/** Fields of an existing type. The compiler rejects a missing key, and a key that is optional in one of the two only. */
export type FieldsOf<T> = {
  readonly [Key in keyof T]-?: Pick<T, Key> extends Required<Pick<T, Key>>
    ? Schema<T[Key]>
    : OptionalSchema<Exclude<T[Key], undefined>>;
};
