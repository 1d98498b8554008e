import { isList, toData } from './data.ts';
import { failure, MAX_DATA_DEPTH, MAX_TEXT, type Evaluation } from './evaluation.ts';

interface Writer {
  /** Sorts map keys, so that equal values give equal text. */
  readonly sorted: boolean;
  /** Charges for the work as it is done, so that an absorbed failure is charged for, too. */
  readonly evaluation: Evaluation | undefined;
  readonly parts: string[];
  length: number;
}

/** Writes any value as compact JSON with sorted keys; throws when it is too long, too deep or contains itself. */
export function toStableJson(value: unknown, evaluation: Evaluation): string {
  return writeJson(value, true, evaluation);
}

/** Converts a value to text for a template: null is empty, texts stay as they are, lists and maps are compact JSON. */
export function toText(value: unknown, evaluation?: Evaluation): string {
  const data = toData(value);
  if (data === null) return '';
  if (typeof data === 'string') return data;
  if (typeof data === 'number' || typeof data === 'boolean') return String(data);
  return writeJson(data, false, evaluation);
}

function writeJson(value: unknown, sorted: boolean, evaluation: Evaluation | undefined): string {
  const writer: Writer = { sorted, evaluation, parts: [], length: 0 };
  writeValue(value, writer, 0);
  return writer.parts.join('');
}

function write(writer: Writer, text: string): void {
  writer.length += text.length;
  // Shared parts can make a small value print exponentially long, so the bound is checked while writing.
  if (writer.length > MAX_TEXT) throw failure(`the value prints as more than ${MAX_TEXT} characters`);
  writer.parts.push(text);
}

function writeValue(value: unknown, writer: Writer, depth: number): void {
  const data = toData(value);
  writer.evaluation?.charge(typeof data === 'string' ? 1 + (data.length >> 6) : 1);
  if (typeof data !== 'object' || data === null) {
    write(writer, JSON.stringify(data));
    return;
  }
  if (depth > MAX_DATA_DEPTH) throw failure(`the value is nested deeper than ${MAX_DATA_DEPTH} levels`);
  if (isList(data)) {
    write(writer, '[');
    for (const [index, item] of data.entries()) {
      if (index > 0) write(writer, ',');
      writeValue(item, writer, depth + 1);
    }
    write(writer, ']');
    return;
  }
  writeMap(data, writer, depth);
}

function writeMap(map: object, writer: Writer, depth: number): void {
  const entries = Object.entries(map).filter(([key, item]) => item !== undefined && key !== '__proto__');
  if (writer.sorted) entries.sort(([left], [right]) => (left < right ? -1 : 1));
  write(writer, '{');
  for (const [index, [key, item]] of entries.entries()) {
    write(writer, `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`);
    writeValue(item, writer, depth + 1);
  }
  write(writer, '}');
}
