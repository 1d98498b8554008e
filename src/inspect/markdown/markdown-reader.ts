import type { MarkdownBlock, TableCell } from './markdown-block.ts';
import { markdownInline } from './markdown-inline.ts';

/** Maximum list depth that is indented. */
const deepest = 6;

/** Patterns for the start of a block, in the order they are tried. */
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/u;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/u;
const rule = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/u;
const item = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(.*)$/u;
const quoted = /^ {0,3}> ?(.*)$/u;
const tableRow = /^ {0,3}\|.*\|[ \t]*$/u;
const tableRule = /^ {0,3}\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/u;

/** A block, or the next part of one: a line of code, an item of a list. */
export interface MarkdownPiece {
  readonly block: MarkdownBlock;
  /** Belongs to the same block as the piece before it. */
  readonly continues: boolean;
}

/** The block that is still open. */
type OpenBlock =
  | { readonly kind: 'code'; readonly fence: string; readonly info: string; isBegun: boolean }
  | { readonly kind: 'paragraph' | 'quote'; readonly lines: string[] }
  | OpenList
  | { readonly kind: 'row'; readonly line: string }
  | { readonly kind: 'table'; readonly head: string; readonly rows: string[] };

interface OpenList {
  readonly kind: 'list';
  /** Indentation of the parent items of the next one. */
  readonly depths: number[];
  marker: string;
  lines: string[];
  isBegun: boolean;
  /** A blank line was read; the next line decides whether the list continues. */
  isPaused: boolean;
}

/**
 * Reads Markdown line by line and emits each piece as soon as it is complete: code by line, lists by item, other blocks whole. Each
 * line is scanned a fixed number of times, whatever came before.
 */
export class MarkdownReader {
  readonly #onPiece: (piece: MarkdownPiece) => void;
  #open: OpenBlock | undefined;

  constructor(onPiece: (piece: MarkdownPiece) => void) {
    this.#onPiece = onPiece;
  }

  /** Reads the next line, without its line feed. */
  line(line: string): void {
    if (!this.#continue(line)) {
      this.end();
      this.#begin(line);
    }
  }

  /** Closes the open block; the next line starts another one. */
  end(): void {
    const open = this.#open;
    this.#open = undefined;
    switch (open?.kind) {
      case undefined:
        return;
      case 'code':
        if (!open.isBegun) this.#put({ kind: 'code', info: open.info, text: '' });
        return;
      case 'list':
        this.#endItem(open);
        return;
      case 'row':
        this.#put({ kind: 'paragraph', words: markdownInline(open.line) });
        return;
      case 'table':
        this.#put({ kind: 'table', head: cellsOf(open.head), rows: open.rows.map(cellsOf) });
        return;
      case 'paragraph':
      case 'quote':
        this.#put({ kind: open.kind, words: markdownInline(open.lines.join('\n')) });
    }
  }

  /** Adds the line to the open block; false when it belongs to another one. */
  #continue(line: string): boolean {
    const open = this.#open;
    switch (open?.kind) {
      case undefined:
        return false;
      case 'code':
        this.#code(open, line);
        return true;
      case 'list':
        return this.#list(open, line);
      case 'quote':
        return this.#add(open.lines, quoted.exec(line)?.[1]);
      case 'table':
        return this.#add(open.rows, tableRow.test(line) ? line : undefined);
      case 'row':
        if (tableRule.test(line)) {
          this.#open = { kind: 'table', head: open.line, rows: [] };
          return true;
        }
        this.#open = { kind: 'paragraph', lines: [open.line] };
        return this.#continue(line);
      case 'paragraph':
        return this.#add(open.lines, line.trim() !== '' && !beginsBlock(line) ? line : undefined);
    }
  }

  #add(lines: string[], line: string | undefined): boolean {
    if (line === undefined) return false;
    lines.push(line);
    return true;
  }

  #begin(line: string): void {
    if (line.trim() === '') return;
    const code = fence.exec(line);
    if (code !== null) {
      this.#open = { kind: 'code', fence: code[1] ?? '', info: (code[2] ?? '').trim(), isBegun: false };
      return;
    }
    const title = heading.exec(line);
    if (title !== null) {
      this.#put({ kind: 'heading', level: title[1]?.length ?? 1, words: markdownInline((title[2] ?? '').trim()) });
    } else if (rule.test(line)) {
      this.#put({ kind: 'rule' });
    } else if (item.test(line)) {
      const list: OpenList = { kind: 'list', depths: [], marker: '', lines: [], isBegun: false, isPaused: false };
      this.#open = list;
      this.#list(list, line);
    } else if (quoted.test(line)) {
      this.#open = { kind: 'quote', lines: [quoted.exec(line)?.[1] ?? ''] };
    } else {
      this.#open = tableRow.test(line) ? { kind: 'row', line } : { kind: 'paragraph', lines: [line] };
    }
  }

  #code(open: Extract<OpenBlock, { readonly kind: 'code' }>, line: string): void {
    const words = line.trim();
    if (words.length >= open.fence.length && words === (open.fence[0] ?? '').repeat(words.length)) {
      this.end();
      return;
    }
    this.#put({ kind: 'code', info: open.info, text: line }, open.isBegun);
    open.isBegun = true;
  }

  #list(open: OpenList, line: string): boolean {
    const found = item.exec(line);
    if (found !== null) {
      this.#endItem(open);
      const [, space = '', marker = '', first = ''] = found;
      const indent = space.replaceAll('\t', '    ').length;
      while ((open.depths.at(-1) ?? -1) >= indent) open.depths.pop();
      open.depths.push(indent);
      open.marker = marker;
      open.lines = [first];
      open.isPaused = false;
      return true;
    }
    if (open.isPaused) return false;
    if (line.trim() === '') {
      open.isPaused = true;
      return true;
    }
    return this.#add(open.lines, /^[ \t]+\S/u.test(line) && !beginsBlock(line) ? line.trim() : undefined);
  }

  #endItem(open: OpenList): void {
    if (open.marker === '') return;
    const depth = Math.min(deepest, open.depths.length - 1);
    const marker = /\d/u.test(open.marker) ? open.marker : '•';
    this.#put({ kind: 'list', items: [{ depth, marker, words: markdownInline(open.lines.join('\n')) }] }, open.isBegun);
    open.isBegun = true;
  }

  #put(block: MarkdownBlock, continues = false): void {
    this.#onPiece({ block, continues });
  }
}

function beginsBlock(line: string): boolean {
  return [fence, heading, rule, item, quoted, tableRow].some((pattern) => pattern.test(line));
}

function cellsOf(line: string): readonly TableCell[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/u)
    .map((cell) => markdownInline(cell.trim().replaceAll('\\|', '|')));
}
