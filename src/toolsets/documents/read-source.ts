import { documentFormat } from './parse/document-endings.ts';
import type { DocumentLimits } from './document-limits.ts';
import { readInside, type InsideText, type NotRead } from '../files/read-inside.ts';

/** Least characters of a file, and characters per line, from which code or data is minified: no person wrote or reads it. */
const leastMinifiedChars = 10_000;
const minifiedLineChars = 1_000;
/** Formats that are written as one record per line, however long. */
const lineRecords = /\.(?:jsonl|ndjson|log|srt|vtt)$/i;

/** Reads a document below a real folder as text; returns the reason when it cannot be read, or is not text that people wrote. */
export async function readSource(folder: string, file: string, limits: DocumentLimits): Promise<InsideText | NotRead> {
  const read = await readInside(folder, file, limits.maxFileBytes);
  if ('reason' in read || !mayBeMinified(file, read.text.length)) return read;
  const perLine = Math.round(read.text.length / (countLineBreaks(read.text) + 1));
  return perLine < minifiedLineChars ? read : { reason: `it is minified (${perLine} characters per line)`, refused: false };
}

/** True when a file may be minified, by its name and size. */
export function mayBeMinified(file: string, size: number): boolean {
  const format = documentFormat(file);
  return size >= leastMinifiedChars && (format === 'code' || format === 'data') && !lineRecords.test(file);
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
