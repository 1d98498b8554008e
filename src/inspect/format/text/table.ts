import { fitEnd, fitText, textWidth } from './text-width.ts';
import { wrapLine } from './wrap-line.ts';

/** A table cell: its text, perhaps styled, and the width of the bare text. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  /** Returns the cell in fewer columns, with an ellipsis where text was cut. */
  readonly fit: (width: number) => Cell;
}

/** Builds a cell of safe text; `kept` selects the end that survives a cut. */
export function cell(bare: string, style: (text: string) => string = (text) => text, kept: 'start' | 'end' = 'start'): Cell {
  return {
    text: style(bare),
    width: textWidth(bare),
    fit: (width) => cell(kept === 'start' ? fitText(bare, width) : fitEnd(bare, width), style, kept),
  };
}

/** Room for a table. */
export interface TableRoom {
  /** Columns of the terminal; when absent, the table is as wide as its cells. */
  readonly width?: number | undefined;
  /** Columns whose cells may be cut, by index, with their minimum widths. */
  readonly least?: Readonly<Record<number, number>>;
}

const gap = 2;

/**
 * Renders rows as a table under column titles, each column as wide as its widest cell. In a narrow room cells are cut; when even
 * that does not fit, each row becomes a few labelled lines.
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

/** Takes width from the widest cuttable columns until the table fits; false when it cannot. */
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

/** Renders a row as lines: the first two cells, the others with their titles, and the last on a separate line. */
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

/** Puts the column title before a cell, unless the cell already says it. */
function titled(title: string, text: string): string {
  return text.startsWith(title) ? text : `${title} ${text}`;
}
