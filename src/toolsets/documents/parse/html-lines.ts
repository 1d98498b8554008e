/** Builds the lines of text read from a page. */
export class TextLines {
  readonly #keepsLines: boolean;
  readonly #lines: string[] = [];
  /** Pieces of the current line, which has text once there is one; joined once, so that a long line takes linear time. */
  #pieces: string[] = [];
  #endsInSpace = false;
  /** Prefix of the next text of a block: the mark of a heading or of a list item. */
  #mark = '';
  #preformatted = 0;

  /** With `keepsLines`, lines break exactly where those of the file do; without, where blocks begin and end. */
  constructor(keepsLines: boolean) {
    this.#keepsLines = keepsLines;
  }

  put(text: string): void {
    if (!this.#keepsLines && this.#preformatted === 0) return this.#add(text);
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) this.#newLine();
      this.#add(piece);
    }
  }

  /** Skips a part of the file, whose lines count when lines are kept. */
  skip(text: string): void {
    if (!this.#keepsLines) return;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#newLine();
  }

  breakLine(): void {
    if (this.#keepsLines) return this.#add(' ');
    if (this.#pieces.length > 0) this.#newLine();
  }

  startBlock(name: string): void {
    this.#between(name);
    if (name === 'pre') this.#preformatted += 1;
    this.#mark =
      name === 'title' ? '# ' : /^h[1-6]$/.test(name) ? `${'#'.repeat(Number(name[1]))} ` : name === 'li' ? '- ' : this.#mark;
  }

  endBlock(name: string): void {
    if (name === 'pre') this.#preformatted = Math.max(0, this.#preformatted - 1);
    if (name === 'title' || name === 'li' || /^h[1-6]$/.test(name)) this.#mark = '';
    this.#between(name);
  }

  text(): string {
    return [...this.#lines, this.#pieces.join('').trimEnd()].join('\n');
  }

  /** Separates blocks by an empty line, items and rows by a new one. */
  #between(name: string): void {
    this.breakLine();
    const isClose = /^(?:li|dt|dd|tr|br|caption|thead|tbody)$/.test(name);
    if (!this.#keepsLines && !isClose && this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#newLine();
  }

  #add(piece: string): void {
    const text = this.#preformatted > 0 ? piece : piece.replace(/\s+/g, ' ');
    if (this.#pieces.length === 0) {
      const start = this.#preformatted > 0 ? text : text.trimStart();
      if (start.trim() === '') return;
      // Only headings of the page are headings of its text.
      this.#append((this.#mark === '' && start.startsWith('#') ? '    ' : this.#mark) + start);
      this.#mark = '';
    } else this.#append(this.#preformatted === 0 && this.#endsInSpace ? text.replace(/^ /, '') : text);
  }

  #append(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#endsInSpace = text.endsWith(' ');
  }

  #newLine(): void {
    this.#lines.push(this.#pieces.join('').trimEnd());
    this.#pieces = [];
  }
}
