import type { CommitContext } from './commit-context.ts';
import { isRecord, isRecordList } from './record-shape.ts';
import type { PlainRecord, Shape, StoredField } from './record-shape.ts';

/** Key of the list of fields that were guessed but are absent. */
export const absentKey = '-';

/**
 * Encodes the inside of a record's JSON object: its fields under their short keys, without those the reader would guess. Leaves
 * fields in `skip` to the caller. Concatenates text directly: building objects to stringify them costs twice as much.
 */
export function writeFields(record: Readonly<PlainRecord>, shape: Shape, context: CommitContext): string {
  const { fields, note } = shape;
  let text = '';
  // Not `Object.keys`: V8 reads the values of a loop over an object without looking each key up.
  for (const key in record) {
    const value = record[key];
    if (value === undefined) continue;
    const field = fields.get(key);
    if (field?.isOuter === true) continue;
    if (field?.guess !== undefined && jsonEqual(value, field.guess(record, context))) continue;
    const written = field === undefined ? undefined : writeField(field, record, context);
    text = joinFields(text, written ?? `${JSON.stringify(`.${key}`)}:${JSON.stringify(value)}`);
  }
  const absent = shape.guesses.length === 0 ? undefined : absentFields(record, shape, context);
  if (note !== undefined) note(record, context);
  return absent === undefined ? text : joinFields(text, `"${absentKey}":${JSON.stringify(absent)}`);
}

/** Joins two parts of an object's inside. */
export function joinFields(first: string, second: string): string {
  return first === '' ? second : second === '' ? first : `${first},${second}`;
}

/** Encodes a value as JSON. */
export function writeJson(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
}

/**
 * Encodes a time as its distance before `base`: as text where the distance would not be exact, in a list when it is not a number.
 */
export function packDistance(value: unknown, base: number): unknown {
  if (typeof value !== 'number') return [value];
  return base - (base - value) === value ? base - value : String(value);
}

/** Returns the absent fields for which the reader would guess a value. */
function absentFields(record: Readonly<PlainRecord>, shape: Shape, context: CommitContext): readonly string[] | undefined {
  let absent: string[] | undefined;
  for (const [key, guess] of shape.guesses) {
    if (record[key] !== undefined || guess(record, context) === undefined) continue;
    absent ??= [];
    absent.push(key);
  }
  return absent;
}

/** Encodes one field with its short key; undefined when the value does not have the field's shape. */
function writeField(field: StoredField, record: Readonly<PlainRecord>, context: CommitContext): string | undefined {
  const { shape, label } = field;
  const value = record[field.key];
  if (field.isPlain) return label + writeJson(value);
  const packed = field.derived?.pack(value, record, context);
  if (field.derived !== undefined && packed !== undefined) return `"${field.derived.short}":${JSON.stringify(packed)}`;
  if (field.kind === 'time') return label + writeJson(packDistance(value, context.at));
  if (isRecord(value)) {
    for (const variant of field.variants ?? [])
      if (variant.applies(value, record)) return `"${variant.short}":{${writeFields(value, variant.shape, context)}}`;
    if (shape !== undefined) return `${label}{${writeFields(value, shape, context)}}`;
  }
  if (shape === undefined) return label + writeJson(value);
  if (!isRecordList(value)) return undefined;
  let list = '';
  for (const entry of value) list = `${list}${list === '' ? '' : ','}{${writeFields(entry, shape, context)}}`;
  return `${label}[${list}]`;
}

/** True when two JSON values are equal, including own keys and the sign of zero, regardless of key order. */
function jsonEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((value, index) => jsonEqual(value, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}
