import type { MarkdownBlock, TableCell } from '../../markdown/markdown-block.ts';
import { inlineText } from './inline-text.ts';
import type { FormatOptions, TextStyle } from './text-style.ts';
import { textWidth } from './text-width.ts';
import { wrapLine } from './wrap-line.ts';

const separator = ' │ ';
/** Minimum readable column width; in a narrower table each row becomes a list of its cells. */
const leastColumn = 8;

/** Renders a table of untrusted Markdown with wrapped cells, or as a list of cells where the columns do not fit. */
export function markdownTable(
  { head, rows }: Extract<MarkdownBlock, { readonly kind: 'table' }>,
  { style, width }: { readonly style: TextStyle } & Pick<FormatOptions, 'width'>,
): readonly string[] {
  const titles = cellTexts(head, style);
  const body = rows.map((row) => cellTexts(row, style));
  const widths = columnWidths([titles, ...body], width);
  if (widths === undefined) return body.flatMap((row) => asList(row, titles, style, width));
  return [
    ...rowLines(titles.map(style.bold), widths, style),
    style.dim(widths.map((each) => '─'.repeat(each)).join('─┼─')),
    ...body.flatMap((row) => rowLines(row, widths, style)),
  ];
}

function cellTexts(row: readonly TableCell[], style: TextStyle): readonly string[] {
  return row.map((cell) => inlineText(cell, style));
}

/** Returns the width of each column; undefined when they do not fit side by side. */
function columnWidths(rows: readonly (readonly string[])[], width: number | undefined): readonly number[] | undefined {
  const widths: number[] = [];
  for (const row of rows) row.forEach((text, column) => (widths[column] = Math.max(widths[column] ?? 1, textWidth(text))));
  if (width === undefined) return widths;
  const room = width - separator.length * (widths.length - 1);
  if (room < widths.reduce((sum, each) => sum + Math.min(each, leastColumn), 0)) return undefined;
  return shared(widths, room);
}

/** Keeps the width of narrow columns and divides the remaining room equally among wide ones. */
function shared(widths: readonly number[], room: number): readonly number[] {
  const given = [...widths];
  let left = room;
  const byWidth = widths.map((_, column) => column).toSorted((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0));
  byWidth.forEach((column, index) => {
    given[column] = Math.min(widths[column] ?? 0, Math.floor(left / (byWidth.length - index)));
    left -= given[column] ?? 0;
  });
  return given;
}

function rowLines(row: readonly string[], widths: readonly number[], style: TextStyle): readonly string[] {
  const cells = row.map((text, column) => wrapLine(text, { width: widths[column] ?? 1 }));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => {
        const text = lines[line] ?? '';
        return text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - textWidth(text)));
      })
      .join(style.dim(separator)),
  );
}

function asList(row: readonly string[], titles: readonly string[], style: TextStyle, width: number | undefined): readonly string[] {
  return row.flatMap((text, column) => {
    const title = titles[column] ?? '';
    const line = title === '' ? text : `${style.bold(`${title}:`)} ${text}`;
    const first = column === 0 ? `${style.cyan('•')} ` : '  ';
    return width === undefined ? [`${first}${line}`] : wrapLine(line, { width, first, rest: '    ' });
  });
}
