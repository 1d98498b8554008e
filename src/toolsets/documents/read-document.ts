import type { DocumentIndex } from './search/document-index.ts';

/** Most lines returned by one call. */
export const maxReadLines = 400;
/** Number of lines returned when no end is given. */
export const usualReadLines = 120;

const maxLineChars = 2_000;
const maxTextChars = 40_000;

/** First and last line to read, 1-based and inclusive; without `to`, `usualReadLines` lines. */
export interface ReadRange {
  readonly from: number;
  readonly to: number | undefined;
}

/**
 * Reads lines of a document as `"<n>: <line>"`, after one line that names the file, the range and the total.
 *
 * Overlong lines are cut with a mark, and the text ends early at its size limit; the first line says how to continue.
 *
 * @throws CadreError `PATH_REFUSED` or `TOOL_FAILED` when the document cannot be opened
 */
export async function readDocument(index: DocumentIndex, requested: string, { from, to }: ReadRange): Promise<string> {
  const { file, lines, note } = await index.open(requested);
  if (lines.length === 0) return `${file}: an empty document (0 lines)`;
  if (from > lines.length) return `${file}: it has ${lines.length} lines, so there is nothing from line ${from} on`;
  const wanted = Math.min(to ?? from + usualReadLines - 1, from + maxReadLines - 1, lines.length);
  const numbered: string[] = [];
  let length = 0;
  let last = from - 1;
  for (let line = from; line <= wanted; line += 1) {
    const text = `${line}: ${cutLine(lines[line - 1] ?? '')}`;
    if (numbered.length > 0 && length + text.length > maxTextChars) break;
    numbered.push(text);
    length += text.length + 1;
    last = line;
  }
  if (numbered.length === 0) return `${file}: to_line ${to} is before from_line ${from}; it has ${lines.length} lines`;
  const more = last < lines.length ? ` (go on with from_line ${last + 1})` : '';
  return [`${file}, lines ${from}-${last} of ${lines.length}${more}${note === undefined ? '' : ` (${note})`}`, ...numbered].join(
    '\n',
  );
}

function cutLine(line: string): string {
  return line.length <= maxLineChars ? line : `${line.slice(0, maxLineChars)}… [cut: this line has ${line.length} characters]`;
}
