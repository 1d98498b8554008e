import type { ListItem, MarkdownBlock, TableCell } from '../../markdown/markdown-block.ts';
import { type MarkdownPiece, MarkdownReader } from '../../markdown/markdown-reader.ts';
import { plainStyle, type FormatOptions, type TextStyle } from './text-style.ts';
import { textWidth } from './text-width.ts';
import { wrapLine } from './wrap-line.ts';
import { visibleText, inlineText } from './inline-text.ts';
import { readJson } from '../../../core/read-json.ts';

/** Layout options of a block. */
type BlockFormat = Required<Pick<FormatOptions, 'style'>> & Pick<FormatOptions, 'width'>;

/** Maximum length of a drawn rule, in columns. */
const longestRule = 60;

/**
 * Renders untrusted Markdown for a terminal: headings, lists, quotes, code and tables in wrapped lines, with the address of a link
 * after its text. Control and direction characters are made visible. Without styles, the marks of headings, emphasis and code stay.
 * A text that is JSON is not reformatted.
 */
export function formatMarkdown(text: string, options: FormatOptions = {}): string {
  if (isJson(text)) return wrapped(text, { style: options.style ?? plainStyle, width: options.width }).join('\n') + '\n';
  const writer = new MarkdownWriter(() => options);
  return writer.write(text) + writer.end();
}

/** Lays out Markdown as it arrives: `write` returns complete lines, `end` returns the rest. */
export class MarkdownWriter {
  readonly #format: () => FormatOptions;
  readonly #reader: MarkdownReader;
  #lines: string[] = [];
  #partial = '';
  #isBegun = false;

  /** `format` is called for each piece, since the window width may change. */
  constructor(format: () => FormatOptions) {
    this.#format = format;
    this.#reader = new MarkdownReader((piece) => this.#put(piece));
  }

  /** Takes the next part of the text and returns the complete lines, each with its line feed. */
  write(text: string): string {
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      const line = this.#partial + text.slice(at, end);
      this.#reader.line(line.endsWith('\r') ? line.slice(0, -1) : line);
      this.#partial = '';
      at = end + 1;
    }
    this.#partial += text.slice(at);
    return this.#take();
  }

  /** Returns the buffered rest; the next `write` starts a new text. */
  end(): string {
    if (this.#partial !== '') this.#reader.line(this.#partial);
    this.#partial = '';
    this.#reader.end();
    this.#isBegun = false;
    return this.#take();
  }

  #put({ block, continues }: MarkdownPiece): void {
    const { style = plainStyle, width } = this.#format();
    if (this.#isBegun && !continues) this.#lines.push('');
    this.#isBegun = true;
    for (const line of blockLines(block, continues, { style, width })) this.#lines.push(line.trimEnd());
  }

  #take(): string {
    const lines = this.#lines;
    this.#lines = [];
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }
}

function blockLines(block: MarkdownBlock, continues: boolean, format: BlockFormat): readonly string[] {
  const { style, width } = format;
  switch (block.kind) {
    case 'heading': {
      const words = inlineText(block.words, style);
      const line = style === plainStyle ? `${'#'.repeat(block.level)} ${words}` : style.bold(words);
      return wrapped(block.level === 1 ? style.underline(line) : line, format);
    }
    case 'paragraph':
      return wrapped(inlineText(block.words, style), format);
    case 'quote':
      return wrapped(inlineText(block.words, style), format, `${style.dim('│')} `);
    case 'list':
      return block.items.flatMap((item) => itemLines(item, format));
    case 'code':
      return codeLines(block, continues, format);
    case 'table':
      return markdownTable(block, format);
    case 'rule':
      return [style.dim('─'.repeat(Math.min(width ?? longestRule, longestRule)))];
  }
}

function itemLines({ depth, marker, words }: ListItem, format: BlockFormat): readonly string[] {
  const { style } = format;
  const first = `${'  '.repeat(depth)}${style.cyan(marker)} `;
  return wrapped(inlineText(words, style), format, first, ' '.repeat(textWidth(first)));
}

function codeLines({ info, text }: { readonly info: string; readonly text: string }, continues: boolean, format: BlockFormat) {
  const { style } = format;
  const title = continues || info === '' ? [] : wrapped(style.dim(visibleText(info)), format, '    ');
  const code = visibleText(text)
    .split('\n')
    .map((line) => (line === '' ? '' : style.cyan(line)))
    .join('\n');
  return [...title, ...wrapped(code, format, '    ')];
}

/** Wraps each line of a safe text, with one prefix for the first line and one for the others. */
function wrapped(text: string, { width }: BlockFormat, first = '', rest = first): readonly string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const before = index === 0 ? first : rest;
    return width === undefined ? [`${before}${line}`] : wrapLine(line, { width, first: before, rest });
  });
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/u.test(text)) return false;
  try {
    readJson(text);
    return true;
  } catch {
    // It starts like JSON but is not.
    return false;
  }
}

const separator = ' │ ';
/** Minimum readable column width; in a narrower table each row becomes a list of its cells. */
const leastColumn = 8;

/** Renders a table of untrusted Markdown with wrapped cells, or as a list of cells where the columns do not fit. */
function markdownTable(
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
