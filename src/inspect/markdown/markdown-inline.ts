/** A piece of a line: text, code, emphasis around pieces, or the visible target of a link. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'target'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly words: readonly Inline[] };

/** Maximum depth of nested emphasis. */
const deepest = 4;
const escaped = new Set('*_`[]#|\\');

/**
 * Parses inline marks of a block. A link or an image becomes its text, followed by its target, so that the text cannot hide the
 * target. Underscores are not parsed, since names contain them. Takes linear time.
 */
export function markdownInline(text: string, depth = 0): readonly Inline[] {
  return depth > deepest ? [{ kind: 'text', text }] : new InlineReader(text, depth).read();
}

class InlineReader {
  readonly #text: string;
  readonly #depth: number;
  readonly #found: Inline[] = [];
  /** Marks known to have no closing mark, so that each is searched only once. */
  readonly #unclosed = new Set<string>();
  /** Backtick runs by length, filled on the first one; only those that may still close code. */
  #ticks: Map<number, RegExpExecArray[]> | undefined;
  readonly #nextTicks = new Map<number, number>();
  #plain = '';
  #at = 0;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  read(): readonly Inline[] {
    const text = this.#text;
    while (this.#at < text.length) {
      // Skips the text between two marks.
      const stretch = /[^\\`*![]+/uy;
      stretch.lastIndex = this.#at;
      const words = stretch.exec(text)?.[0] ?? '';
      this.#plain += words;
      this.#at += words.length;
      if (this.#at < text.length && !this.#mark()) this.#plain += text[this.#at++] ?? '';
    }
    this.#flush();
    return this.#found;
  }

  #mark(): boolean {
    const [mark, next = ''] = [this.#text[this.#at], this.#text[this.#at + 1]];
    if (mark === '\\' && escaped.has(next)) {
      this.#plain += next;
      this.#at += 2;
      return true;
    }
    if (mark === '`') return this.#code();
    if (mark === '*') return this.#emphasis('**') || this.#emphasis('*');
    return this.#link();
  }

  #code(): boolean {
    const ticks = /`+/uy;
    ticks.lastIndex = this.#at;
    const mark = ticks.exec(this.#text)?.[0] ?? '`';
    const from = this.#at + mark.length;
    const end = this.#ticksFrom(mark.length, from);
    if (end === undefined) {
      this.#plain += mark;
      this.#at = from;
      return true;
    }
    const code = this.#text.slice(from, end);
    const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
    return this.#put({ kind: 'code', text: isPadded ? code.slice(1, -1) : code }, end + mark.length);
  }

  #emphasis(mark: '*' | '**'): boolean {
    const text = this.#text;
    const from = this.#at + mark.length;
    const opens = text.startsWith(mark, this.#at) && /\S/u.test(text[from] ?? '') && (mark === '**' || !isWord(text[this.#at - 1]));
    if (!opens || text[from] === '*') return false;
    const end = this.#find(mark, from + 1, (at) => {
      const isOwn = mark === '**' || (text[at - 1] !== '*' && text[at + 1] !== '*');
      return isOwn && /\S/u.test(text[at - 1] ?? '') && (mark === '**' || !isWord(text[at + 1]));
    });
    if (end === undefined) return false;
    const words = markdownInline(text.slice(from, end), this.#depth + 1);
    return this.#put({ kind: mark === '**' ? 'strong' : 'emphasis', words }, end + mark.length);
  }

  /** `[words](target)` and `![words](target)`. */
  #link(): boolean {
    const form = /!?\[([^[\]\n]{0,1000})\]\(([^()\s]{1,2000})(?:[ \t]+"[^"\n]{0,300}")?\)/uy;
    form.lastIndex = this.#at;
    const found = form.exec(this.#text);
    if (found === null) return false;
    const [whole, words = '', target = ''] = found;
    this.#flush();
    this.#found.push(...markdownInline(words, this.#depth + 1));
    return this.#put({ kind: 'target', text: target }, this.#at + whole.length);
  }

  /** Returns the position of the next run of exactly so many backticks. Positions asked for must not decrease. */
  #ticksFrom(length: number, from: number): number | undefined {
    this.#ticks ??= Map.groupBy(this.#text.matchAll(/`+/gu), ([run]) => run.length);
    const runs = this.#ticks.get(length) ?? [];
    let next = this.#nextTicks.get(length) ?? 0;
    while (next < runs.length && (runs[next]?.index ?? from) < from) next += 1;
    this.#nextTicks.set(length, next);
    return runs[next]?.index;
  }

  #find(mark: string, from: number, closes: (at: number) => boolean): number | undefined {
    if (this.#unclosed.has(mark)) return undefined;
    for (let at = this.#text.indexOf(mark, from); at >= 0; at = this.#text.indexOf(mark, at + 1)) if (closes(at)) return at;
    this.#unclosed.add(mark);
    return undefined;
  }

  #put(piece: Inline, next: number): true {
    this.#flush();
    this.#found.push(piece);
    this.#at = next;
    return true;
  }

  #flush(): void {
    if (this.#plain !== '') this.#found.push({ kind: 'text', text: this.#plain });
    this.#plain = '';
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
