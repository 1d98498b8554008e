import { cutHeading, type DocumentBlock, type DocumentFormat } from './document-block.ts';
import { createMarkupScanner, indentOf } from './markup-scanner.ts';
import { withoutLast } from './code-sections.ts';

/** Reads the block that starts at a line (0-based index, not blank). */
export type BlockScanner = (at: number) => DocumentBlock;

const fencePattern = /^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|>\s*)?(`{3,}(?!.*`)|~{3,})/;
const listItemPattern = /^\s*(?:[-*+]|\d{1,9}[.)]|#\.)\s+\S/;
const headingPattern = /^ {0,3}(#{1,6})(?:\s+(.*))?$/;
const tableRulePattern = /^[\s:|-]+$/;

/** Creates the scanner for one document; it remembers which marks are never closed, to stay linear. */
export function createBlockScanner(lines: readonly string[], format: DocumentFormat): BlockScanner {
  const markup = createMarkupScanner(lines, format);
  const underlines: string[] = [];

  const special = (at: number): DocumentBlock | undefined => {
    const line = lines[at] ?? '';
    if (format === 'html' || format === 'pdf') return scanHeading(line, at);
    if (format === 'outline') return scanOutline(line, at);
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
  if (
    format !== 'rst' &&
    format !== 'html' &&
    format !== 'pdf' &&
    format !== 'outline' &&
    /^(={3,}|-{3,})\s*$/.test(under) &&
    !listItemPattern.test(first)
  ) {
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

const marked = /^(={1,6}|\*{1,6})\s+(\S.*)$/;
const command = /^\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]{0,200}\])?\{(.{1,300})\}/;
const commands = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph'];

/** Reads a heading of AsciiDoc (`== Title`), Org (`** Title`) or LaTeX (`\section{Title}`). */
function scanOutline(line: string, at: number): DocumentBlock | undefined {
  const text = line.slice(0, 1_000);
  const [, marks, title] = marked.exec(text) ?? [];
  if (marks !== undefined && title !== undefined)
    return heading(at, marks.length, title.endsWith('=') ? withoutLast(title, (mark) => mark === '=').trimEnd() : title);
  const [, name, inBraces] = command.exec(text) ?? [];
  if (name === undefined || inBraces === undefined) return undefined;
  return heading(at, commands.indexOf(name) + 1, inBraces);
}

function heading(at: number, level: number, text: string): DocumentBlock {
  return { kind: 'heading', line: at + 1, endLine: at + 1, heading: { level, text: cutHeading(text) } };
}

const underlinePattern = /^([=\-~^"'`#*+.:_<>])\1{2,}\s*$/;
const codeDirectives = /^\s*\.\.\s+(?:code|code-block|sourcecode|literalinclude|parsed-literal|math|doctest)::/;

/**
 * Reads a reStructuredText heading (underlined, or lined on both sides). `styles` collects the kinds of lines in order of appearance,
 * which determines the level of a heading.
 */
function scanUnderlinedHeading(lines: readonly string[], at: number, styles: string[]): DocumentBlock | undefined {
  const over = underlinePattern.exec(lines[at] ?? '')?.[1];
  const textAt = over === undefined ? at : at + 1;
  const text = (lines[textAt] ?? '').trim();
  const under = underlinePattern.exec(lines[textAt + 1] ?? '')?.[1];
  if (text === '' || under === undefined || (over !== undefined && over !== under)) return undefined;
  if (over === undefined && /^\s/.test(lines[textAt] ?? '')) return undefined;
  const style = over === undefined ? under : `${over}${under}`;
  if (!styles.includes(style)) styles.push(style);
  const level = Math.min(6, styles.indexOf(style) + 1);
  return { kind: 'heading', line: at + 1, endLine: textAt + 2, heading: { level, text: cutHeading(text) } };
}

/** Reads a directive, a comment, or the literal block after a paragraph that ends in `::`. */
function scanDirective(lines: readonly string[], at: number): DocumentBlock | undefined {
  const line = lines[at] ?? '';
  if (underlinePattern.test(line)) return { kind: 'markup', line: at + 1, endLine: at + 1 };
  if (codeDirectives.test(line)) return { kind: 'code', line: at + 1, endLine: indentedEnd(lines, at + 1, indentOf(line)) };
  if (/^\s*\.\.(?:\s|$)/.test(line)) return { kind: line.includes('::') ? 'markup' : 'meta', line: at + 1, endLine: at + 1 };
  if (indentOf(line) > 0 && followsLiteralMark(lines, at)) {
    return { kind: 'code', line: at + 1, endLine: indentedEnd(lines, at, 0) };
  }
  return undefined;
}

/** Returns the end (1-based) of the lines starting at `from` (0-based) that are indented deeper than `indent`. */
function indentedEnd(lines: readonly string[], from: number, indent: number): number {
  let end = from;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    if (indentOf(line) <= indent) break;
    end = at + 1;
  }
  return end;
}

function followsLiteralMark(lines: readonly string[], at: number): boolean {
  let before = at - 1;
  if ((lines[before] ?? '').trim() !== '') return false;
  while (before >= 0 && (lines[before] ?? '').trim() === '') before -= 1;
  const line = lines[before] ?? '';
  return line.trimEnd().endsWith('::') && !line.trimStart().startsWith('..') && indentOf(line) === 0;
}
