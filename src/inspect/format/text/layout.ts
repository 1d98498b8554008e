import { formatMarkdown } from './format-markdown.ts';
import { grouped, toStyledLine, toTerminalLine, toTerminalText } from './terminal-text.ts';
import { plainStyle, type FormatOptions, type TextStyle } from './text-style.ts';
import { wrapLine } from './wrap-line.ts';

const shortLines = 12;

/** Collects the lines of a view. All untrusted text goes in through `line`, `safe` or `block`, which make it safe. */
export class Layout {
  readonly style: TextStyle;
  readonly #options: FormatOptions;
  readonly #full: boolean;
  readonly #lines: string[] = [];

  constructor(options: FormatOptions = {}) {
    this.style = options.style ?? plainStyle;
    this.#options = options;
    this.#full = options.full ?? false;
  }

  /** Columns that lines are wrapped to; undefined for unlimited width. */
  get width(): number | undefined {
    return this.#options.width;
  }

  /** Adds a line of safe text; unsafe characters are shown escaped. */
  line(text = '', indent = 0): this {
    return text === '' ? this.#add('') : this.branch(text, ' '.repeat(indent), ' '.repeat(indent + 2));
  }

  /** Adds a line as `line` does, with a prefix for the first line and one for its wrapped rest. */
  branch(text: string, first: string, rest: string): this {
    const { width } = this;
    const line = toStyledLine(text);
    return width === undefined ? this.#add(`${first}${line}`) : this.#add(...wrapLine(line, { width, first, rest }));
  }

  #add(...lines: readonly string[]): this {
    for (const line of lines) this.#lines.push(line);
    return this;
  }

  /** Adds a section heading after an empty line. */
  heading(text: string): this {
    return this.line().line(this.style.bold(text));
  }

  /** Adds untrusted text of several lines, each after a bar; only the first lines unless `full` is set. */
  block(text: string, indent: number): this {
    const shown = toTerminalText(text, this.#full ? { maxLine: 2000, maxLines: 20_000 } : { maxLine: 240, maxLines: shortLines });
    for (const line of shown.split('\n')) this.#barred(line, indent);
    return this;
  }

  /** Adds the words of an agent or a person as a block, with Markdown laid out if the options ask for it. */
  words(text: string, indent: number): this {
    const { width, markdown } = this.#options;
    if (markdown !== true) return this.block(text, indent);
    const room = width === undefined ? undefined : Math.max(1, width - Math.min(indent, Math.floor(width / 3)) - 2);
    const laidOut = formatMarkdown(text, { style: this.style, width: room }).trimEnd().split('\n');
    const shown = this.#full ? laidOut : laidOut.slice(0, shortLines);
    for (const line of shown) this.#barred(line, indent);
    const left = laidOut.length - shown.length;
    return left === 0 ? this : this.#barred(`… (+${grouped(left)} ${left === 1 ? 'line' : 'lines'})`, indent);
  }

  #barred(line: string, indent: number): this {
    const { width } = this;
    const space = ' '.repeat(width === undefined ? indent : Math.min(indent, Math.floor(width / 3)));
    const bar = `${space}${this.style.dim('│')}`;
    const words = line.trimEnd();
    return words === '' ? this.#add(bar) : this.branch(words, `${bar} `, `${bar} `);
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
