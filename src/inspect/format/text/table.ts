import { fitEnd, fitText, textWidth } from './text-width.ts';
import { wrapLine } from './wrap-line.ts';

/** A table cell: its text, perhaps styled, and the width of the bare text. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  /** The cell in fewer columns, with an ellipsis for what is missing. */
  readonly fit: (width: number) => Cell;
}

/** A cell of safe text; where it is cut, its start is kept, or its end. */
export function cell(bare: string, style: (text: string) => string = (text) => text, kept: 'start' | 'end' = 'start'): Cell {
  return {
    text: style(bare),
    width: textWidth(bare),
    fit: (width) => cell(kept === 'start' ? fitText(bare, width) : fitEnd(bare, width), style, kept),
  };
}

/** The room of a table. */
export interface TableRoom {
  /** Columns of the terminal; a table is as wide as its cells without it. */
  readonly width?: number | undefined;
  /** The columns whose cells may be cut, by their place, and the width that is left of each at least. */
  readonly least?: Readonly<Record<number, number>>;
}

const gap = 2;

/**
 * Rows as a table, the titles of its columns first: each column as wide as its widest cell. In a narrow room cells are cut; in one that is
 * too narrow for that, each row becomes a few lines that name what they say.
 */
export function table(rows: readonly (readonly Cell[])[], { width, least = {} }: TableRoom = {}): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((each, column) => (widths[column] = Math.max(widths[column] ?? 0, each.width)));
  if (width !== undefined && !narrow(widths, width, least)) return rows.slice(1).flatMap((row) => asLines(row, rows[0], width));
  return rows.map((row) => {
    const cells = row.map((each, column) => (each.width > (widths[column] ?? 0) ? each.fit(widths[column] ?? 0) : each));
    return cells
      .map((each, column) => each.text + ' '.repeat((widths[column] ?? 0) - each.width))
      .join(' '.repeat(gap))
      .trimEnd();
  });
}

/** Takes columns from the widest of those that may be cut until the table fits; false when it cannot. */
function narrow(widths: number[], width: number, least: Readonly<Record<number, number>>): boolean {
  let over = widths.reduce((sum, each) => sum + each + gap, -gap) - width;
  for (; over > 0; over--) {
    const spare = widths.map((each, column) => (column in least && each > (least[column] ?? 0) ? each : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) === 0) return false;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return true;
}

/** A row as lines: its first two cells, the others with their titles, the last one by itself. */
function asLines(row: readonly Cell[], titles: readonly Cell[] = [], width: number): readonly string[] {
  const head = row
    .slice(0, 2)
    .filter((each) => each.width > 0)
    .map((each) => each.text);
  const facts = row
    .slice(2, -1)
    .flatMap((each, index) => (each.width === 0 ? [] : [titled(titles[index + 2]?.text.toLowerCase() ?? '', each.text)]));
  const last = row.length > 2 ? [row.at(-1)?.text ?? ''] : [];
  return [
    ...wrapLine(head.join('  '), { width, rest: '  ' }),
    ...[facts.join('  '), ...last]
      .filter((line) => line.trim() !== '')
      .flatMap((line) => wrapLine(line, { width, first: '  ', rest: '    ' })),
  ];
}

/** A cell behind the title of its column, unless it says that itself. */
function titled(title: string, text: string): string {
  return text.startsWith(title) ? text : `${title} ${text}`;
}
