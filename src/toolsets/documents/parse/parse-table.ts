import { cutHeading, type DocumentBlock } from './document-block.ts';
import type { Steps } from './steps.ts';

/** Most lines of one record with line breaks in quoted cells. */
const maxRecordLines = 200;
const maxHeadingChars = 20_000;

/**
 * Parses CSV or TSV (RFC 4180; also `;` and `|` as separators) into one block per record, with the lines of the file. The names of the
 * columns, when the first record has some, are the heading of all records.
 *
 * A quote that never ends within 200 lines belongs to the text of its line.
 */
export function* parseTable(file: string, lines: readonly string[]): Steps<readonly DocumentBlock[]> {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return [];
  const separator = file.toLowerCase().endsWith('.tsv')
    ? '\t'
    : separatorOf(lines.slice(first, first + 3).filter((line) => line.trim() !== ''));
  const blocks: DocumentBlock[] = [];
  for (let at = first; at < lines.length;) {
    if ((lines[at] ?? '').trim() === '') {
      at += 1;
      continue;
    }
    const end = recordEnd(lines, at, separator);
    const columns = at === first ? columnNames(lines.slice(at, end).join(' '), separator) : undefined;
    if (columns === undefined) blocks.push({ kind: 'prose', line: at + 1, endLine: end });
    else blocks.push({ kind: 'heading', line: at + 1, endLine: end, heading: { level: 1, text: cutHeading(columns.join(', ')) } });
    at = end;
    yield;
  }
  return blocks;
}

/** Returns the separator that is in each of the first lines, outside of quotes; the most frequent one of the first line among these. */
function separatorOf(lines: readonly string[]): string {
  const plain = lines.map((line) => line.slice(0, maxHeadingChars).replace(/"[^"]*"/g, ''));
  const counts = (separator: string): readonly number[] => plain.map((line) => line.split(separator).length);
  const [best = ','] = [',', ';', '\t', '|'].toSorted((left, right) => {
    const [of, or] = [counts(left), counts(right)];
    return Math.min(...or) - Math.min(...of) || (or[0] ?? 0) - (of[0] ?? 0);
  });
  return best;
}

/** Returns the line (1-based) with the end of the record that begins at a line (0-based). */
function recordEnd(lines: readonly string[], at: number, separator: string): number {
  let isQuoted = false;
  for (let end = at; end < Math.min(lines.length, at + maxRecordLines); end += 1) {
    isQuoted = quotedAfter(lines[end] ?? '', separator, isQuoted);
    if (!isQuoted) return end + 1;
  }
  return at + 1;
}

/** True when a quoted cell is open at the end of a line; a quote opens a cell only at its beginning. */
function quotedAfter(line: string, separator: string, isQuoted: boolean): boolean {
  let open = isQuoted;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) {
    if (!open) open = at === 0 || line[at - 1] === separator;
    else if (line[at + 1] === '"') at += 1;
    else open = false;
  }
  return open;
}

/** Returns the cells of the first record when they are names: short, and none of them empty or a number. */
function columnNames(record: string, separator: string): readonly string[] | undefined {
  const cells = splitCells(record.slice(0, maxHeadingChars), separator);
  const areNames = cells.every((cell) => cell.length <= 100 && /\p{L}/u.test(cell) && !/^[\d\s.,:/+-]*$/.test(cell));
  return areNames ? cells : undefined;
}

function splitCells(record: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  for (const part of record.split(separator)) {
    cell = cell === '' ? part : `${cell}${separator}${part}`;
    if (quotedAfter(cell, separator, false)) continue;
    cells.push(
      cell
        .trim()
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"')
        .trim(),
    );
    cell = '';
  }
  if (cell !== '') cells.push(cell.trim());
  return cells;
}
