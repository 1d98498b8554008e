import { cutHeading, type DocumentBlock } from './document-block.ts';

const underlinePattern = /^([=\-~^"'`#*+.:_<>])\1{2,}\s*$/;
const codeDirectives = /^\s*\.\.\s+(?:code|code-block|sourcecode|literalinclude|parsed-literal|math|doctest)::/;

/**
 * Reads a reStructuredText heading (underlined, or lined on both sides). `styles` collects the kinds of lines in order of appearance,
 * which determines the level of a heading.
 */
export function scanUnderlinedHeading(lines: readonly string[], at: number, styles: string[]): DocumentBlock | undefined {
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
export function scanDirective(lines: readonly string[], at: number): DocumentBlock | undefined {
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

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
