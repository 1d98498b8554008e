import { markdownInline, type Inline } from './markdown-inline.ts';

/**
 * A block of Markdown, of the small part that is shown: headings, paragraphs, lists, quotes, code, tables, rules. Everything else
 * stays the text it is; there is no HTML and no image, and nothing is loaded.
 */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly words: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly words: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'code'; readonly info: string; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly TableCell[]; readonly rows: readonly (readonly TableCell[])[] }
  | { readonly kind: 'rule' };

/** An item of a list: how deep it stands, its number or `•`, and its words. */
export interface ListItem {
  readonly depth: number;
  readonly marker: string;
  readonly words: readonly Inline[];
}

type TableCell = readonly Inline[];

/** Deepest list that is still moved in. */
const deepest = 6;

/** What a line begins, in the order it is looked for. */
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/u;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/u;
const rule = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/u;
const item = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(.*)$/u;
const quoted = /^ {0,3}> ?(.*)$/u;
const tableRow = /^ {0,3}\|.*\|[ \t]*$/u;
const tableRule = /^ {0,3}\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/u;

/** Reads a text as Markdown; every text has a reading. Costs what the text is long. */
export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: MarkdownBlock[] = [];
  for (let at = 0; at < lines.length;) at = readBlock(lines, at, blocks);
  return blocks;
}

/** Reads the block that begins with a line, and says where the next one begins. */
function readBlock(lines: readonly string[], at: number, blocks: MarkdownBlock[]): number {
  const line = lines[at] ?? '';
  if (line.trim() === '') return at + 1;
  if (fence.test(line)) return readCode(lines, at, blocks);
  const title = heading.exec(line);
  if (title !== null) {
    blocks.push({ kind: 'heading', level: title[1]?.length ?? 1, words: markdownInline((title[2] ?? '').trim()) });
    return at + 1;
  }
  if (rule.test(line)) {
    blocks.push({ kind: 'rule' });
    return at + 1;
  }
  if (item.test(line)) return readList(lines, at, blocks);
  if (quoted.test(line)) {
    const end = endOf(lines, at, (next) => quoted.test(next));
    const words = lines.slice(at, end).map((next) => quoted.exec(next)?.[1] ?? '');
    blocks.push({ kind: 'quote', words: markdownInline(words.join('\n')) });
    return end;
  }
  if (tableRow.test(line) && tableRule.test(lines[at + 1] ?? '')) {
    const end = endOf(lines, at, (next) => tableRow.test(next));
    blocks.push({ kind: 'table', head: cellsOf(line), rows: lines.slice(at + 2, end).map(cellsOf) });
    return end;
  }
  const end = endOf(lines, at, (next) => next.trim() !== '' && !beginsBlock(next));
  blocks.push({ kind: 'paragraph', words: markdownInline(lines.slice(at, end).join('\n')) });
  return end;
}

/** Where the lines that belong to the block of line `at` end. */
function endOf(lines: readonly string[], at: number, belongs: (line: string) => boolean): number {
  let end = at + 1;
  while (end < lines.length && belongs(lines[end] ?? '')) end += 1;
  return end;
}

function beginsBlock(line: string): boolean {
  return [fence, heading, rule, item, quoted, tableRow].some((pattern) => pattern.test(line));
}

function readCode(lines: readonly string[], at: number, blocks: MarkdownBlock[]): number {
  const [, fenced = '', info = ''] = fence.exec(lines[at] ?? '') ?? [];
  const closes = (line: string): boolean => {
    const words = line.trim();
    return words.length >= fenced.length && words === (fenced[0] ?? '').repeat(words.length);
  };
  const end = endOf(lines, at, (line) => !closes(line));
  blocks.push({ kind: 'code', info: info.trim(), text: lines.slice(at + 1, end).join('\n') });
  return end + 1;
}

function readList(lines: readonly string[], at: number, blocks: MarkdownBlock[]): number {
  const items: ListItem[] = [];
  /** How far the items that hold the next one are moved in. */
  const depths: number[] = [];
  let next = at;
  for (let found = item.exec(lines[next] ?? ''); found !== null; found = item.exec(lines[next] ?? '')) {
    const [, space = '', marker = '', first = ''] = found;
    const indent = space.replaceAll('\t', '    ').length;
    while ((depths.at(-1) ?? -1) >= indent) depths.pop();
    depths.push(indent);
    const end = endOf(lines, next, (line) => /^[ \t]+\S/u.test(line) && !beginsBlock(line));
    const words = [first, ...lines.slice(next + 1, end).map((line) => line.trim())].join('\n');
    items.push({
      depth: Math.min(deepest, depths.length - 1),
      marker: /\d/u.test(marker) ? marker : '•',
      words: markdownInline(words),
    });
    next = end;
    // A blank line between two items leaves them in one list.
    if ((lines[next] ?? 'words').trim() === '' && item.test(lines[next + 1] ?? '')) next += 1;
  }
  blocks.push({ kind: 'list', items });
  return next;
}

function cellsOf(line: string): readonly TableCell[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/u)
    .map((cell) => markdownInline(cell.trim().replaceAll('\\|', '|')));
}
