import { toStyledLine, toTerminalLine, toTerminalText } from './terminal-text.ts';
import { plainStyle, type FormatOptions, type TextStyle } from './text-style.ts';

const shortLines = 12;

/** Collects the lines of a view. All untrusted text goes in through `line`, `safe` or `block`, which make it safe. */
export class Layout {
  readonly style: TextStyle;
  readonly #full: boolean;
  readonly #lines: string[] = [];

  constructor(options: FormatOptions = {}) {
    this.style = options.style ?? plainStyle;
    this.#full = options.full ?? false;
  }

  /** Adds a line made of safe text; what is none is shown as what it is. */
  line(text = '', indent = 0): this {
    this.#lines.push(text === '' ? '' : `${' '.repeat(indent)}${toStyledLine(text)}`);
    return this;
  }

  /** Adds a section heading after an empty line. */
  heading(text: string): this {
    return this.line().line(this.style.bold(text));
  }

  /** Adds untrusted text of several lines, each after a bar; only the first lines unless everything was asked for. */
  block(text: string, indent: number): this {
    const shown = toTerminalText(text, this.#full ? { maxLine: 2000, maxLines: 20_000 } : { maxLine: 240, maxLines: shortLines });
    for (const line of shown.split('\n')) this.line(`${this.style.dim('│')} ${line}`.trimEnd(), indent);
    return this;
  }

  /** Adds a label with untrusted text: on the same line when it is short, as a block below otherwise. */
  field(label: string, text: string, indent: number): this {
    if (!text.includes('\n') && text.length <= 160) return this.line(`${this.style.dim(label)} ${safe(text)}`.trimEnd(), indent);
    return this.line(this.style.dim(label), indent).block(text, indent + 2);
  }

  /** Everything added so far, ending with a line feed. */
  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

/** One untrusted word or line, made safe; at most 160 characters. */
export function safe(text: string, max = 160): string {
  return toTerminalLine(text, max);
}

/** Lines as a table: each column as wide as its widest cell; `width` measures a cell without its style. */
export function table(rows: readonly (readonly Cell[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.width)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.text + ' '.repeat((widths[column] ?? 0) - cell.width))
      .join('  ')
      .trimEnd(),
  );
}

/** A table cell: its text, perhaps styled, and the width of the bare text. */
export interface Cell {
  readonly text: string;
  readonly width: number;
}

/** A cell of safe text. */
export function cell(bare: string, style: (text: string) => string = (text) => text): Cell {
  return { text: style(bare), width: bare.length };
}
