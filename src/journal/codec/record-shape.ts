import type { CommitContext } from '../commit-context.ts';

/** A record on its way in or out of the store, by its long or its short keys. */
export type PlainRecord = Record<string, unknown>;

/** Tells whether a value is an object with keys of its own, as opposed to a list or a scalar. */
export function isRecord(value: unknown): value is PlainRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether a value is a list of such objects. */
export function isRecordList(value: unknown): value is readonly PlainRecord[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** How one field of a record is stored. */
export interface Field {
  readonly short: string;
  /** The shape of the record in the field, or of each record in the list. */
  readonly shape?: Shape;
  /** `time`: stored as the distance to the event's own time. */
  readonly kind?: 'time';
  /** Other short keys and shapes, for records of which `applies` is true; it may look at what was noted before. The first that applies is taken. */
  readonly variants?: readonly {
    readonly short: string;
    readonly shape: Shape;
    readonly applies: (value: Readonly<PlainRecord>, record: Readonly<PlainRecord>) => boolean;
  }[];
  /** Another short key for values that follow from the rest of the record and a little more. */
  readonly derived?: Derived;
}

/** How a value is stored that follows from the rest of its record and a little more. Both may look at all other fields. */
export interface Derived {
  readonly short: string;
  /** What is stored; undefined when the value does not follow. */
  readonly pack: (value: unknown, record: Readonly<PlainRecord>, context: CommitContext) => unknown;
  /** The value; undefined when what is stored cannot be read. */
  readonly unpack: (stored: unknown, record: Readonly<PlainRecord>, context: CommitContext) => unknown;
}

/**
 * What a field holds unless the stored record says otherwise; undefined when nothing can be said. It may look at the record's
 * fields that have no guess or an earlier one, and at what was noted before; not at what the record's own inner records note.
 */
export type Guess = (record: Readonly<PlainRecord>, context: CommitContext) => unknown;

/** A field of a shape, with the guess of its value if there is one. */
export interface StoredField extends Field {
  readonly guess: Guess | undefined;
  /** The short key as it stands in the text. */
  readonly label: string;
}

/** How records of one kind are stored. A key that is in no table keeps its name behind a dot, so nothing is ever lost. */
export interface Shape {
  readonly fields: ReadonlyMap<string, StoredField>;
  readonly byShort: ReadonlyMap<
    string,
    { readonly key: string; readonly shape: Shape | undefined; readonly kind: 'time' | undefined; readonly derived?: Derived }
  >;
  readonly guesses: readonly (readonly [key: string, guess: Guess])[];
  /** Called with every complete record of the shape, so that later ones can be guessed from it. */
  readonly note: ((record: Readonly<PlainRecord>, context: CommitContext) => void) | undefined;
}

/** What a shape is made of: `T` is the record it stores; a field without anything special is its short key alone. */
export interface ShapeParts<T> {
  readonly fields: { readonly [Key in keyof T]?: string | Field };
  readonly guesses?: { readonly [Key in keyof T]?: Guess };
  readonly note?: (record: Readonly<Partial<T>>, context: CommitContext) => void;
}

/** Builds a shape from its tables. */
export function defineShape<T>(parts: ShapeParts<T>): Shape {
  const fields = new Map<string, StoredField>();
  const byShort = new Map<string, { key: string; shape: Shape | undefined; kind: 'time' | undefined; derived?: Derived }>();
  const guesses: [string, Guess][] = Object.entries(parts.guesses ?? {});
  const guessOf = new Map(guesses);
  const entries: [string, string | Field][] = Object.entries(parts.fields);
  for (const [key, given] of entries) {
    const field = typeof given === 'string' ? { short: given } : given;
    fields.set(key, { ...field, guess: guessOf.get(key), label: `"${field.short}":` });
    byShort.set(field.short, { key, shape: field.shape, kind: field.kind });
    for (const { short, shape } of field.variants ?? []) byShort.set(short, { key, shape, kind: undefined });
    const { derived } = field;
    if (derived !== undefined) byShort.set(derived.short, { key, shape: undefined, kind: undefined, derived });
  }
  const { note } = parts;
  return {
    fields,
    byShort,
    guesses,
    note: note === undefined ? undefined : (record, context) => note(record as Readonly<Partial<T>>, context),
  };
}

/** The guess that is always the same. */
export function always(value: string | number | boolean): Guess {
  return () => value;
}

/** The guess that a list is empty. */
export const noList: Guess = () => [];
