import { cutHeading, type DocumentBlock, type DocumentFormat } from './document-block.ts';
import { createMarkupScanner } from './markup-scanner.ts';
import { scanOutline } from './outline-headings.ts';
import { scanDirective, scanUnderlinedHeading } from './rst-blocks.ts';

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
