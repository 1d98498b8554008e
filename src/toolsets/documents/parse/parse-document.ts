import { basename } from 'node:path';
import { documentFormat, type DocumentBlock, type ParsedDocument, cutHeading, type DocumentFormat } from './document-block.ts';
import { scanDirective, scanUnderlinedHeading } from './rst-blocks.ts';

const importPattern = /^import\s+(?:['"{*]|[\w$]+\s*(?:,|\s+from\s))/;
const exportPattern = /^export\s+(?:const|let|var|default|async|function|class|interface|type)\b|^export\s+[{*]/;
const longestParsedLine = 4000;

/** Reads tags, comments and MDX statements that start at a line; undefined when the line is none of these. */
type MarkupScanner = (at: number) => DocumentBlock | undefined;

/**
 * Creates the scanner for tags, comments and MDX imports of one document.
 *
 * Looks ahead for a closing mark at most once per kind of mark: once none was found, every later one is unclosed too.
 */
function createMarkupScanner(lines: readonly string[], format: DocumentFormat): MarkupScanner {
  const unclosed = new Set<string>();
  let unclosedIndent = -1;

  const until = (at: number, mark: string): number | undefined => {
    if (unclosed.has(mark)) return undefined;
    for (let end = at; end < lines.length; end += 1) {
      if ((lines[end] ?? '').includes(mark)) return end + 1;
    }
    unclosed.add(mark);
    return undefined;
  };

  const untilTagEnd = (at: number): number | undefined => {
    const indent = indentOf(lines[at] ?? '');
    if (indent <= unclosedIndent) return undefined;
    for (let end = at + 1; end < lines.length; end += 1) {
      const line = lines[end] ?? '';
      if (indentOf(line) <= indent && /^(?:\/?>|[^<]*\/>)$/.test(line.slice(0, longestParsedLine).trim())) return end + 1;
    }
    unclosedIndent = indent;
    return undefined;
  };

  return (at) => {
    const line = lines[at] ?? '';
    const trimmed = line.slice(0, longestParsedLine).trim();
    if (trimmed.startsWith('<!--')) return block('meta', at, until(at, '-->'));
    if (format === 'mdx' && trimmed.startsWith('{/*')) return block('meta', at, until(at, '*/}'));
    if (format === 'mdx' && (importPattern.test(line) || exportPattern.test(line)))
      return block('meta', at, paragraphEnd(lines, at));
    if (!/^<\/?[A-Za-z]/.test(trimmed)) return undefined;
    if (!trimmed.includes('>')) return block('markup', at, untilTagEnd(at));
    return line.length < longestParsedLine && hasWords(trimmed) ? undefined : block('markup', at, at + 1);
  };
}

function block(kind: 'meta' | 'markup', at: number, endLine: number | undefined): DocumentBlock | undefined {
  return endLine === undefined ? undefined : { kind, line: at + 1, endLine };
}

/** True when a line has words besides its tags: `<p>like these</p>`. */
function hasWords(line: string): boolean {
  return /\p{L}/u.test(line.replace(/<[^<>]*>/g, ''));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function paragraphEnd(lines: readonly string[], at: number): number {
  let end = at;
  while (end < lines.length && (lines[end] ?? '').trim() !== '') end += 1;
  return end;
}

/** Fields the documents toolset uses from a document's frontmatter. */
interface Frontmatter {
  readonly title: string;
  readonly description: string;
  /** 1-based line of the closing mark. */
  readonly endLine: number;
}

const maxFrontmatterLines = 500;

/** Reads the `---` block at the very start of a document; undefined when there is none, or when it is never closed. */
function readFrontmatter(lines: readonly string[]): Frontmatter | undefined {
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.slice(1, maxFrontmatterLines).findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
  if (end === -1) return undefined;
  const fields = lines.slice(1, end + 1);
  return { title: field(fields, 'title'), description: field(fields, 'description'), endLine: end + 2 };
}

/** Returns a one-line value at the top level: enough for a title, without parsing untrusted YAML. */
function field(fields: readonly string[], name: string): string {
  const line = fields.find((candidate) => candidate.startsWith(`${name}:`));
  const value = line?.slice(name.length + 1, 400).trim() ?? '';
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted?.[2] ?? value;
}

/** Reads the block that starts at a line (0-based index, not blank). */
type BlockScanner = (at: number) => DocumentBlock;

const fencePattern = /^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|>\s*)?(`{3,}(?!.*`)|~{3,})/;
const listItemPattern = /^\s*(?:[-*+]|\d{1,9}[.)]|#\.)\s+\S/;
const headingPattern = /^ {0,3}(#{1,6})(?:\s+(.*))?$/;
const tableRulePattern = /^[\s:|-]+$/;

/** Creates the scanner for one document; it remembers which marks are never closed, to stay linear. */
function createBlockScanner(lines: readonly string[], format: DocumentFormat): BlockScanner {
  const markup = createMarkupScanner(lines, format);
  const underlines: string[] = [];

  const special = (at: number): DocumentBlock | undefined => {
    const line = lines[at] ?? '';
    if (format === 'html') return scanHeading(line, at);
    if (format === 'rst') return scanUnderlinedHeading(lines, at, underlines) ?? scanDirective(lines, at);
    return scanFence(lines, at) ?? scanHeading(line, at) ?? markup(at);
  };

  return (at) => special(at) ?? scanProse({ lines, format, starts: (index) => special(index) !== undefined }, at);
}

function scanFence(lines: readonly string[], at: number): DocumentBlock | undefined {
  const mark = fencePattern.exec(lines[at] ?? '')?.[1];
  if (mark === undefined) return undefined;
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end] ?? '', mark)) end += 1;
  return { kind: 'code', line: at + 1, endLine: Math.min(end + 1, lines.length) };
}

function closesFence(line: string, mark: string): boolean {
  const trimmed = line.trim().replace(/^>\s*/, '');
  return trimmed.length >= mark.length && trimmed.startsWith(mark) && trimmed === (mark[0] ?? '').repeat(trimmed.length);
}

function scanHeading(line: string, at: number): DocumentBlock | undefined {
  const match = headingPattern.exec(line);
  if (match === null) return undefined;
  const text = (match[2] ?? '').trim().replace(/\s#+$/, '').trim();
  return { kind: 'heading', line: at + 1, endLine: at + 1, heading: { level: match[1]?.length ?? 1, text: cutHeading(text) } };
}

interface ProseSource {
  readonly lines: readonly string[];
  readonly format: DocumentFormat;
  /** True when another block starts at a line. */
  readonly starts: (at: number) => boolean;
}

/** Reads a paragraph, one list item or one table row; a Markdown heading may be underlined with `=` or `-`. */
function scanProse({ lines, format, starts }: ProseSource, at: number): DocumentBlock {
  const first = lines[at] ?? '';
  if (/^\s*\|/.test(first)) {
    return { kind: tableRulePattern.test(first) ? 'markup' : 'prose', line: at + 1, endLine: at + 1 };
  }
  const under = lines[at + 1] ?? '';
  if (format !== 'rst' && format !== 'html' && /^(={3,}|-{3,})\s*$/.test(under) && !listItemPattern.test(first)) {
    const heading = { level: under.startsWith('=') ? 1 : 2, text: cutHeading(first.trim()) };
    return { kind: 'heading', line: at + 1, endLine: at + 2, heading };
  }
  if (/^\s*([-*_=])(?:\s*\1){2,}\s*$/.test(first.slice(0, 200))) return { kind: 'markup', line: at + 1, endLine: at + 1 };
  let end = at + 1;
  while (end < lines.length && continuesProse(lines[end] ?? '') && !starts(end)) end += 1;
  return { kind: 'prose', line: at + 1, endLine: end };
}

function continuesProse(line: string): boolean {
  return line.trim() !== '' && !listItemPattern.test(line) && !/^\s*\|/.test(line);
}

/**
 * Parses a document into blocks with their real line numbers.
 *
 * One pass in linear time for any text: an unclosed fence runs to the end, an unclosed tag or comment is prose.
 */
export function parseDocument(file: string, lines: readonly string[]): ParsedDocument {
  const format = documentFormat(file);
  const blocks: DocumentBlock[] = [];
  const front = format === 'markdown' || format === 'mdx' ? readFrontmatter(lines) : undefined;
  if (front !== undefined) blocks.push({ kind: 'meta', line: 1, endLine: front.endLine });
  const scan = createBlockScanner(lines, format);
  for (let at = front?.endLine ?? 0; at < lines.length;) {
    if ((lines[at] ?? '').trim() === '') {
      at += 1;
      continue;
    }
    const block = scan(at);
    blocks.push(block);
    at = block.endLine;
  }
  const firstHeading = blocks.find((block) => block.heading !== undefined)?.heading?.text;
  return { title: front?.title || firstHeading || basename(file), description: front?.description ?? '', blocks };
}
