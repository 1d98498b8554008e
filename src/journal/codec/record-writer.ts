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
  const skip = shape.outer?.long;
  let text = '';
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value === undefined || skip?.has(key) === true) continue;
    const field = shape.fields.get(key);
    if (field?.guess !== undefined && jsonEqual(value, field.guess(record, context))) continue;
    const written = field === undefined ? undefined : writeField(field, record, context);
    text = joinFields(text, written ?? `${JSON.stringify(`.${key}`)}:${JSON.stringify(value)}`);
  }
  const absent = absentFields(record, shape, context);
  shape.note?.(record, context);
  return absent === undefined ? text : joinFields(text, `"${absentKey}":${JSON.stringify(absent)}`);
}

/** Joins two parts of an object's inside. */
export function joinFields(first: string, second: string): string {
  return first === '' ? second : second === '' ? first : `${first},${second}`;
}

/** Text without characters that need a backslash. */
const plainText = /^[\w .,:;@+*/()[\]{}<>=!?#~-]{0,40}$/;

/** Encodes a value as JSON; short plain values avoid `JSON.stringify`, which is most of a small record's cost. */
export function writeJson(value: unknown): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return JSON.stringify(value);
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
  const { shape, variants, label, derived } = field;
  const value = record[field.key];
  const packed = derived?.pack(value, record, context);
  if (derived !== undefined && packed !== undefined) return `"${derived.short}":${JSON.stringify(packed)}`;
  const variant = variants !== undefined && isRecord(value) ? variants.find(({ applies }) => applies(value, record)) : undefined;
  if (variant !== undefined && isRecord(value)) return `"${variant.short}":{${writeFields(value, variant.shape, context)}}`;
  if (field.kind === 'time') return label + writeJson(packDistance(value, context.at));
  if (shape === undefined) return label + writeJson(value);
  if (isRecord(value)) return `${label}{${writeFields(value, shape, context)}}`;
  if (!isRecordList(value)) return undefined;
  return `${label}[${value.map((entry) => `{${writeFields(entry, shape, context)}}`).join(',')}]`;
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
