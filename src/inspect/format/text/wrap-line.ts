import { fitText, textCharacters, textWidth, withoutStyles } from './text-width.ts';

/** Layout of a line wrapped to at most `width` columns. */
export interface LineRoom {
  readonly width: number;
  /** Prefixes of the first line and of the following ones: one line each, plain or styled. */
  readonly first?: string;
  readonly rest?: string;
}

/** A style, spaces, or a run of anything else. */
// oxlint-disable-next-line no-control-regex -- style codes are the target
const pieces = /\u001b\[\d{1,2}m| +|[^ \u001b]+|\u001b/gu;
const plain = /^[\x21-\x7E]*$/;

/** Minimum room for words beside the prefix. */
const leastRoom = 4;

/** Wraps a line of safe, perhaps styled text to the width, at spaces, or between characters where it must. */
export function wrapLine(line: string, { width, first = '', rest = first }: LineRoom): readonly string[] {
  const room = Math.max(1, Math.floor(width));
  if (textWidth(first) + textWidth(line) <= room) return [`${first}${line}`];
  return new LineWrapper(room, fitPrefix(first, room), fitPrefix(rest, room)).wrap(line);
}

/** Wraps lines of safe text that are too long, with the rest of each indented further than its first line. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */u.exec(line)?.[0] ?? '';
      return wrapLine(line.slice(indent.length), { width, first: indent, rest: `${indent}  ` });
    })
    .join('\n');
}

/** Cuts a prefix so that at least half of the width is left for words. */
function fitPrefix(prefix: string, width: number): string {
  const most = Math.max(0, Math.min(Math.floor(width / 2), width - leastRoom));
  if (textWidth(prefix) <= most) return prefix;
  return prefix.trim() === '' ? ' '.repeat(most) : fitText(withoutStyles(prefix), most);
}

class LineWrapper {
  readonly #width: number;
  readonly #rest: string;
  readonly #restWidth: number;
  readonly #lines: string[] = [];
  /** Codes of the active styles. */
  #styles: readonly string[] = [];
  #line: string;
  #used: number;
  /** True while the line holds only its prefix. */
  #isEmpty = true;
  #blanks = 0;
  #word: string[] = [];
  #wordWidth = 0;

  constructor(width: number, first: string, rest: string) {
    this.#width = width;
    this.#rest = rest;
    this.#restWidth = textWidth(rest);
    this.#line = first;
    this.#used = textWidth(first);
  }

  wrap(line: string): readonly string[] {
    for (const [piece] of line.matchAll(pieces)) {
      if (piece.startsWith(' ')) {
        this.#endWord();
        this.#blanks += piece.length;
      } else if (piece.startsWith('\u001b') || plain.test(piece)) {
        this.#addToWord(piece, piece.startsWith('\u001b') ? 0 : piece.length);
      } else {
        this.#addCharacters(piece);
      }
    }
    this.#endWord();
    this.#lines.push(this.#line);
    return this.#lines;
  }

  #addToWord(piece: string, width: number): void {
    this.#word.push(piece);
    this.#wordWidth += width;
  }

  /** Adds characters; a line may break on both sides of a two-column character. */
  #addCharacters(piece: string): void {
    for (const { text, width } of textCharacters(piece)) {
      if (width === 2) this.#endWord();
      this.#addToWord(text, width);
      if (width === 2) this.#endWord();
    }
  }

  #endWord(): void {
    if (this.#word.length === 0) return;
    const word = this.#word;
    const width = this.#wordWidth;
    this.#word = [];
    this.#wordWidth = 0;
    if (width > 0) this.#shortenRefusedPrompt(width);
    const isLong = this.#used + width > this.#width;
    for (const piece of word) {
      if (piece.startsWith('\u001b')) this.#addStyle(piece);
      else if (isLong) this.#addBroken(piece);
      else this.#line += piece;
    }
    if (!isLong) this.#used += width;
    if (width > 0) this.#isEmpty = false;
  }

  /** Writes the spaces before a word, or starts a new line instead. */
  #shortenRefusedPrompt(width: number): void {
    const blanks = this.#isEmpty ? Math.min(this.#blanks, Math.floor((this.#width - this.#used) / 2)) : this.#blanks;
    this.#blanks = 0;
    if (this.#isEmpty || this.#used + blanks + width <= this.#width) {
      this.#line += ' '.repeat(blanks);
      this.#used += blanks;
    } else {
      this.#break();
    }
  }

  #addBroken(piece: string): void {
    for (const { text, width } of textCharacters(piece)) {
      if (this.#used + width > this.#width && this.#used > this.#restWidth) this.#break();
      this.#line += text;
      this.#used += width;
    }
  }

  #break(): void {
    const ends = new Set(this.#styles.map(endOf));
    this.#lines.push(`${this.#line}${[...ends].toReversed().join('')}`);
    this.#line = `${this.#rest}${this.#styles.join('')}`;
    this.#used = this.#restWidth;
    this.#isEmpty = true;
  }

  #addStyle(code: string): void {
    this.#line += code;
    const isStart = endOf(code) !== code;
    this.#styles = isStart ? [...this.#styles, code] : this.#styles.filter((style) => endOf(style) !== code);
  }
}

/** Returns the code that ends a style; an end code returns itself. */
function endOf(code: string): string {
  const number = Number(code.slice(2, -1));
  if (number === 1 || number === 2) return '\u001b[22m';
  if (number === 3 || number === 4) return `\u001b[2${number}m`;
  return (number >= 30 && number <= 37) || (number >= 90 && number <= 97) ? '\u001b[39m' : code;
}
