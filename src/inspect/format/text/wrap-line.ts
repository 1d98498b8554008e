import { fitText, textCharacters, textWidth, withoutStyles } from './text-width.ts';

/** How a line is laid out in lines of at most `width` columns. */
export interface LineRoom {
  readonly width: number;
  /** Put before the first line, and before those that follow: plain text or styled, of one line. */
  readonly first?: string;
  readonly rest?: string;
}

/** A style, blanks, or a stretch of anything else. */
// oxlint-disable-next-line no-control-regex -- the codes of styles are what is looked for
const pieces = /\u001b\[\d{1,2}m| +|[^ \u001b]+|\u001b/gu;
const plain = /^[\x21-\x7E]*$/;

/** The least room for words beside what is put before them. */
const leastRoom = 4;

/** A line of safe text, perhaps styled, as lines of at most so many columns, broken at blanks, or between characters where it must be. */
export function wrapLine(line: string, { width, first = '', rest = first }: LineRoom): readonly string[] {
  const room = Math.max(1, Math.floor(width));
  if (textWidth(first) + textWidth(line) <= room) return [`${first}${line}`];
  return new LineWrapper(room, fitPrefix(first, room), fitPrefix(rest, room)).wrap(line);
}

/** Lines of safe text of which those that are too long are wrapped, the rest of each further in than its first line. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */u.exec(line)?.[0] ?? '';
      return wrapLine(line.slice(indent.length), { width, first: indent, rest: `${indent}  ` });
    })
    .join('\n');
}

/** What is put before a line, cut so that at least half of the width is left for words. */
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
  /** Codes of the styles that are on. */
  #styles: readonly string[] = [];
  #line: string;
  #used: number;
  /** Nothing but what is put before it stands in the line. */
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

  /** A line may be broken on both sides of a character that takes two columns. */
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
    if (width > 0) this.#makeRoom(width);
    const isLong = this.#used + width > this.#width;
    for (const piece of word) {
      if (piece.startsWith('\u001b')) this.#addStyle(piece);
      else if (isLong) this.#addBroken(piece);
      else this.#line += piece;
    }
    if (!isLong) this.#used += width;
    if (width > 0) this.#isEmpty = false;
  }

  /** Writes the blanks before a word, or begins a line in their place. */
  #makeRoom(width: number): void {
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

/** The code that ends a style; of such a code, itself. */
function endOf(code: string): string {
  const number = Number(code.slice(2, -1));
  if (number === 1 || number === 2) return '\u001b[22m';
  if (number === 3 || number === 4) return `\u001b[2${number}m`;
  return (number >= 30 && number <= 37) || (number >= 90 && number <= 97) ? '\u001b[39m' : code;
}
