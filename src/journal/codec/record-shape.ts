import { isOptional } from '../../core/schema/records.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { CommitContext } from './commit-context.ts';

/** Record before or after storage, with its long or short keys. */
export type PlainRecord = Record<string, unknown>;

/** True for an object with keys, false for a list or scalar. */
export function isRecord(value: unknown): value is PlainRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a list of records. */
export function isRecordList(value: unknown): value is readonly PlainRecord[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** Stored form of one field of a record. */
export interface Field {
  readonly short: string;
  /** Shape of the record in the field, or of each record in the list. */
  readonly shape?: Shape;
  /** `time`: stored as the distance to the event's own time. */
  readonly kind?: 'time';
  /** Alternative short keys and shapes; the first whose `applies` is true is used. `applies` may read what was noted before. */
  readonly variants?: readonly {
    readonly short: string;
    readonly shape: Shape;
    readonly applies: (value: Readonly<PlainRecord>, record: Readonly<PlainRecord>) => boolean;
  }[];
  /** Alternative short key for values that can be derived from the rest of the record and a little more. */
  readonly derived?: Derived;
}

/**
 * Stored form of a value that can be derived from the rest of its record and a little more. Both functions may read all other
 * fields.
 */
export interface Derived {
  readonly short: string;
  /** Returns the stored remainder; undefined when the value cannot be derived. */
  readonly pack: (value: unknown, record: Readonly<PlainRecord>, context: CommitContext) => unknown;
  /** Returns the value; undefined when the stored remainder cannot be read. */
  readonly unpack: (stored: unknown, record: Readonly<PlainRecord>, context: CommitContext) => unknown;
}

/**
 * Returns the value of a field unless the stored record overrides it; undefined when there is no guess. May read fields without a
 * guess or with an earlier one, and what was noted before, but not what the record's own inner records note.
 */
export type Guess = (record: Readonly<PlainRecord>, context: CommitContext) => unknown;

/** Meaning of a short key. */
export interface ShortField {
  readonly short: string;
  readonly key: string;
  readonly shape: Shape | undefined;
  readonly kind: 'time' | undefined;
  readonly derived?: Derived;
}

/** Field of a shape. All have the same keys in the same order: V8 reads objects of one form several times as fast. */
export interface StoredField {
  readonly key: string;
  readonly shape: Shape | undefined;
  readonly kind: Field['kind'];
  readonly variants: Field['variants'];
  readonly derived: Derived | undefined;
  readonly guess: Guess | undefined;
  /** True for a value that is written as it is. */
  readonly isPlain: boolean;
  /** True when it is stored outside the record's own fields: writers leave it out. */
  readonly isOuter: boolean;
  /** The short key, quoted and followed by a colon. */
  readonly label: string;
}

/** Keys of a record that are stored outside its own fields, such as those of an event's place. */
export interface OuterKeys {
  /** Short keys that the reader of fields ignores. */
  readonly short: ReadonlySet<string>;
}

/** Stored form of one kind of record. A key without a table entry keeps its name behind a dot, so nothing is lost. */
export interface Shape {
  readonly fields: ReadonlyMap<string, StoredField>;
  readonly byShort: ReadonlyMap<string, ShortField>;
  readonly outer?: OuterKeys;
  readonly guesses: readonly (readonly [key: string, guess: Guess])[];
  /** Called with every complete record of the shape, so that later records can be guessed from it. */
  readonly note: ((record: Readonly<PlainRecord>, context: CommitContext) => void) | undefined;
}

/** What the stored form of a record has besides its short keys, which stand in its schema. */
export interface Extras<T> {
  /** Fields that are not stored as their schema says. */
  readonly fields?: { readonly [Key in keyof T]?: Omit<Field, 'short'> };
  readonly guesses?: { readonly [Key in keyof T]?: Guess };
  readonly note?: (record: Readonly<Partial<T>>, context: CommitContext) => void;
}

/** Builds the shape of a record from its schema; `shapeOf` returns the shapes of schemas within it. */
export function defineShape<T>(schema: Schema<T>, extras: Extras<T>, shapeOf: (inner: Schema) => Shape | undefined): Shape {
  const { form } = schema;
  const keys = form.kind === 'record' ? form.keys : {};
  const schemas = form.kind === 'record' ? form.fields : {};
  const special: Readonly<Record<string, Omit<Field, 'short'> | undefined>> = extras.fields ?? {};
  const fields = new Map<string, StoredField>();
  const byShort = new Map<string, ShortField>();
  const guesses: [string, Guess][] = Object.entries(extras.guesses ?? {});
  const guessOf = new Map(guesses);
  for (const [key, short] of Object.entries(keys)) {
    const inner = schemas[key];
    const shape = inner === undefined ? undefined : shapeOf(innermost(inner));
    const field: Field = { short, ...(shape !== undefined && { shape }), ...special[key] };
    const { variants, derived, kind } = field;
    const isPlain = field.shape === undefined && variants === undefined && derived === undefined && kind === undefined;
    const label = `"${short}":`;
    const guess = guessOf.get(key);
    fields.set(key, { key, shape: field.shape, kind, variants, derived, guess, isPlain, isOuter: false, label });
    byShort.set(short, { short, key, shape: field.shape, kind });
    for (const variant of variants ?? [])
      byShort.set(variant.short, { short: variant.short, key, shape: variant.shape, kind: undefined });
    if (derived !== undefined)
      byShort.set(derived.short, { short: derived.short, key, shape: undefined, kind: undefined, derived });
  }
  const { note } = extras;
  return {
    fields,
    byShort,
    guesses,
    note: note === undefined ? undefined : (record, context) => note(record as Readonly<Partial<T>>, context),
  };
}

/** Returns the schema of a value, or of the entries of a list. */
function innermost(schema: Schema): Schema {
  if (isOptional(schema)) return innermost(schema.present);
  const { form } = schema;
  return form.kind === 'list' || form.kind === 'nullable' ? innermost(form.of) : schema;
}

/** Returns a guess that is always the same value. */
export function always(value: string | number | boolean): Guess {
  return () => value;
}

/** Field of that name which is stored outside the record's own fields. */
export function outerField(key: string): StoredField {
  const none = undefined;
  return {
    key,
    shape: none,
    kind: none,
    variants: none,
    derived: none,
    guess: none,
    isPlain: true,
    isOuter: true,
    label: '',
  };
}

const emptyList: readonly never[] = Object.freeze([]);

/** Guesses an empty list. */
export const noList: Guess = () => emptyList;
