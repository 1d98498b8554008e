import { CadreError } from '../core/error.ts';
import type { CommitContext } from './commit-context.ts';
import { jsonEqual } from './json-equal.ts';
import { isRecord } from './record-shape.ts';
import type { PlainRecord, Shape, StoredField } from './record-shape.ts';

/** Key of the list of fields that were guessed but are absent. */
const absentKey = '-';

/**
 * A record as it is stored, into `packed`: short keys, and nothing that its reader would guess. Fields in `skip` are left to
 * the caller.
 */
export function packRecord(
  record: Readonly<PlainRecord>,
  shape: Shape,
  context: CommitContext,
  packed: PlainRecord = {},
  skip?: ReadonlySet<string>,
): PlainRecord {
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value === undefined || skip?.has(key) === true) continue;
    const field = shape.fields.get(key);
    if (field === undefined) packed[`.${key}`] = value;
    else if (field.guess === undefined || !jsonEqual(value, field.guess(record, context))) packField(packed, key, field, value, record, context);
  }
  for (const [key, guess] of shape.guesses) if (record[key] === undefined) markAbsent(packed, key, guess(record, context));
  shape.note?.(record, context);
  return packed;
}

/** The record that `packRecord` stored, into `record`, which holds the fields that were skipped. */
export function unpackRecord(packed: Readonly<PlainRecord>, shape: Shape, context: CommitContext, record: PlainRecord, skip?: ReadonlySet<string>): PlainRecord {
  for (const short of Object.keys(packed)) {
    if (short === absentKey || skip?.has(short) === true) continue;
    if (short.startsWith('.')) setOwn(record, short.slice(1), packed[short]);
    else unpackField(record, short, packed[short], shape, context);
  }
  const absent = packed[absentKey];
  for (const [key, guess] of shape.guesses) {
    if (record[key] !== undefined || (Array.isArray(absent) && absent.includes(key))) continue;
    const value = guess(record, context);
    if (value !== undefined) record[key] = value;
  }
  shape.note?.(record, context);
  return record;
}

/** Writes down that a field is absent which its reader would guess. */
function markAbsent(packed: PlainRecord, key: string, guessed: unknown): void {
  if (guessed === undefined) return;
  const absent = packed[absentKey];
  packed[absentKey] = Array.isArray(absent) ? [...absent, key] : [key];
}

function packField(packed: PlainRecord, key: string, field: StoredField, value: unknown, record: Readonly<PlainRecord>, context: CommitContext): void {
  const { shape, variant } = field;
  if (field.kind === 'time') packed[field.short] = packTime(value, context.at);
  else if (variant !== undefined && isRecord(value) && variant.applies(value, record)) {
    packed[variant.short] = packRecord(value, variant.shape, context);
  } else if (shape === undefined) packed[field.short] = value;
  else if (isRecord(value)) packed[field.short] = packRecord(value, shape, context);
  else if (isRecordList(value)) packed[field.short] = value.map((entry) => packRecord(entry, shape, context));
  else packed[`.${key}`] = value;
}

function unpackField(record: PlainRecord, short: string, value: unknown, shape: Shape, context: CommitContext): void {
  const field = shape.byShort.get(short);
  if (field === undefined) throw new CadreError('STORE_CORRUPT', `${context.type}: there is no field "${short}"`);
  const { key, shape: inner } = field;
  if (field.kind === 'time') record[key] = unpackTime(value, context.at);
  else if (inner === undefined) record[key] = value;
  else if (isRecord(value)) record[key] = unpackRecord(value, inner, context, {});
  else if (isRecordList(value)) record[key] = value.map((entry) => unpackRecord(entry, inner, context, {}));
  else throw new CadreError('STORE_CORRUPT', `${context.type}: the field "${short}" holds ${JSON.stringify(value)}, which is no record`);
}

function isRecordList(value: unknown): value is readonly PlainRecord[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** A time as its distance before `base`; as text where the distance would not be exact. */
export function packTime(value: unknown, base: number): unknown {
  if (typeof value !== 'number') return [value];
  return base - (base - value) === value ? base - value : String(value);
}

/** The time that `packTime` stored. */
export function unpackTime(stored: unknown, base: number): unknown {
  if (typeof stored === 'number') return base - stored;
  return typeof stored === 'string' ? Number(stored) : Array.isArray(stored) ? stored[0] : undefined;
}

/** Sets a field even under a name that assignment would take for the prototype. */
function setOwn(record: PlainRecord, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}
