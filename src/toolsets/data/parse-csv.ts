import { CadreError } from '../../core/error.ts';

/** Table of texts: names of columns, and rows with one cell per column. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const maxColumns = 500;

/**
 * Parses comma-, tab- or semicolon-separated text (RFC 4180); the first row names the columns. Fills short rows with empty cells.
 *
 * @throws CadreError `TOOL_FAILED` naming the line of a row with too many cells, or of a quote that never ends
 */
export function parseCsv(text: string): CsvTable {
  const separator = separatorOf(text);
  const [header, ...rows] = readRows(text.replace(/^\ufeff/, ''), separator);
  if (header === undefined) throw new CadreError('TOOL_FAILED', 'the file is empty; its first row must name the columns.');
  if (header.cells.length > maxColumns)
    throw new CadreError('TOOL_FAILED', `it has ${header.cells.length} columns; at most ${maxColumns} are read.`);
  const columns = uniqueNames(header.cells);
  return {
    columns,
    rows: rows.map(({ cells, line }) => {
      if (cells.length > columns.length)
        throw new CadreError('TOOL_FAILED', `line ${line} has ${cells.length} cells, and there are ${columns.length} columns.`);
      return [...cells, ...Array.from({ length: columns.length - cells.length }, () => '')];
    }),
  };
}

interface Row {
  readonly cells: string[];
  readonly line: number;
}

function readRows(text: string, separator: string): readonly Row[] {
  const rows: Row[] = [];
  let cells: string[] = [];
  let line = 1;
  let rowLine = 1;
  let at = 0;
  const endRow = (): void => {
    // An empty line is not a row.
    if (cells.length > 1 || cells[0] !== '') rows.push({ cells, line: rowLine });
    cells = [];
    rowLine = line;
  };
  while (at <= text.length) {
    let cell: string;
    if (text[at] === '"') {
      const end = endOfQuoted(text, at + 1, rowLine);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      line += countLines(cell);
      at = end + 1;
    } else cell = '';
    const rest = restOfCell(text, at, separator);
    cells.push(cell + text.slice(at, rest));
    at = rest;
    if (text[at] === separator) {
      at += 1;
      continue;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    line += 1;
    at += 1;
    endRow();
  }
  return rows;
}

function endOfQuoted(text: string, from: number, line: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at;
  throw new CadreError('TOOL_FAILED', `the quote that begins in line ${line} never ends.`);
}

function restOfCell(text: string, from: number, separator: string): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/** Returns the most frequent separator of the first line. */
function separatorOf(text: string): string {
  const end = text.indexOf('\n');
  const first = end === -1 ? text : text.slice(0, end);
  const count = (separator: string): number => first.split(separator).length;
  const [best = ','] = [',', ';', '\t'].toSorted((a, b) => count(b) - count(a));
  return best;
}

function uniqueNames(cells: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const [index, cell] of cells.entries()) {
    const wanted = cell.trim() || `column_${index + 1}`;
    let name = wanted;
    // Names in SQLite are case-insensitive.
    const taken = (): boolean => [...names].some((other) => other.toLowerCase() === name.toLowerCase());
    for (let count = 2; taken(); count += 1) name = `${wanted}_${count}`;
    names.add(name);
  }
  return [...names];
}

/** True when a column holds only numbers as people write them; a leading zero marks a code (a postcode, a phone number). */
export function isNumericColumn({ rows }: CsvTable, index: number): boolean {
  return rows.every((row) => /^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:e[+-]?\d{1,3})?)?$/i.test(row[index] ?? ''));
}
