import { CadreError } from '../../core/error.ts';
import type { CommitContext } from './commit-context.ts';
import { isRecord, isRecordList } from './record-shape.ts';
import type { Derived, PlainRecord, Shape, ShortField } from './record-shape.ts';
import { absentKey } from './record-writer.ts';

/** Shape of the record to read, and the state shared with the commit's earlier records. */
interface RecordToRead {
  readonly shape: Shape;
  readonly context: CommitContext;
}

/** Decodes a record that `writeFields` wrote. The shape's outer keys must already be in `record`. */
export function readFields(packed: Readonly<PlainRecord>, { shape, context }: RecordToRead, record: PlainRecord = {}): PlainRecord {
  const skip = shape.outer?.short;
  let derived: readonly [key: string, stored: unknown, how: Derived] | undefined;
  for (const short of Object.keys(packed)) {
    if (short === absentKey || skip?.has(short) === true) continue;
    const field = shape.byShort.get(short);
    if (field?.derived !== undefined) {
      // Reserves the key's position until the fields it derives from have been read.
      record[field.key] = null;
      derived = [field.key, packed[short], field.derived];
      continue;
    }
    if (short.startsWith('.')) setOwn(record, short.slice(1), packed[short]);
    else if (field === undefined)
      throw new CadreError('STORE_NEWER', `${context.type}: "${short}" is not a field that this version knows`);
    else record[field.key] = readValue(packed[short], field, context);
  }
  const absent = packed[absentKey];
  for (const [key, guess] of shape.guesses) {
    if (record[key] !== undefined || (Array.isArray(absent) && absent.includes(key))) continue;
    const value = guess(record, context);
    if (value !== undefined) record[key] = value;
  }
  if (derived !== undefined) {
    const [key, stored, how] = derived;
    record[key] = how.unpack(stored, record, context) ?? unreadable(key, stored, context);
  }
  shape.note?.(record, context);
  return record;
}

function unreadable(key: string, stored: unknown, context: CommitContext): never {
  throw new CadreError(
    'STORE_NEWER',
    `${context.type}: ${JSON.stringify(stored)} is not a form of "${key}" that this version knows`,
  );
}

function readValue(value: unknown, { short, shape, kind }: ShortField, context: CommitContext): unknown {
  if (kind === 'time') return unpackDistance(value, context.at);
  if (shape === undefined) return value;
  if (isRecord(value)) return readFields(value, { shape, context });
  if (isRecordList(value)) return value.map((entry) => readFields(entry, { shape, context }));
  throw new CadreError(
    'STORE_CORRUPT',
    `${context.type}: the field "${short}" holds ${JSON.stringify(value)}, which is not a record`,
  );
}

/** Decodes a time that `packDistance` stored. */
export function unpackDistance(stored: unknown, base: number): unknown {
  if (typeof stored === 'number') return base - stored;
  return typeof stored === 'string' ? Number(stored) : Array.isArray(stored) ? stored[0] : undefined;
}

/** Sets an own field, even under a name such as `__proto__`. */
function setOwn(record: PlainRecord, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}
