import { maxPassageChars } from '../document-limits.ts';
import { joinHeadings, type DocumentBlock } from '../parse/document-block.ts';
import { joinLines } from '../../files/text-lines.ts';

/** A few quotable lines: a paragraph or a part of it, a list item, a table row, or one line of code. */
export interface Passage {
  readonly line: number;
  readonly endLine: number;
  readonly kind: 'prose' | 'code';
  /** The headings above, outermost first, joined with ` > `. */
  readonly heading: string;
}

/** Lists the quotable passages of a document, in order; leaves out headings, tags, frontmatter and imports. */
export function listPassages(blocks: readonly DocumentBlock[], lines: readonly string[]): readonly Passage[] {
  const passages: Passage[] = [];
  const path: { readonly level: number; readonly text: string }[] = [];
  let heading = '';
  for (const block of blocks) {
    if (block.heading !== undefined) {
      while ((path.at(-1)?.level ?? 0) >= block.heading.level) path.pop();
      path.push(block.heading);
      heading = joinHeadings(path);
    } else if (block.kind === 'prose') {
      passages.push(...splitProse(block, lines).map((part) => ({ ...part, kind: 'prose' as const, heading })));
    } else if (block.kind === 'code') {
      passages.push(...codeLines(block, lines).map((line) => ({ line, endLine: line, kind: 'code' as const, heading })));
    }
  }
  return passages;
}

/** Splits a long paragraph where a sentence ends with its line, or else before the line that would exceed the limit. */
function splitProse(
  block: DocumentBlock,
  lines: readonly string[],
): readonly { readonly line: number; readonly endLine: number }[] {
  if (joinLines(lines, block.line, block.endLine).length <= maxPassageChars) return [{ line: block.line, endLine: block.endLine }];
  const parts: { line: number; endLine: number }[] = [];
  let from = block.line;
  let length = 0;
  for (let line = block.line; line <= block.endLine; line += 1) {
    const text = lines[line - 1] ?? '';
    if (line > from && length + text.length + 1 > maxPassageChars) {
      parts.push({ line: from, endLine: line - 1 });
      from = line;
      length = 0;
    }
    length += text.length + 1;
    if (line < block.endLine && length > maxPassageChars / 2 && /[.!?。！？]["')\]*_`]{0,3}\s*$/.test(text.slice(-20))) {
      parts.push({ line: from, endLine: line });
      from = line + 1;
      length = 0;
    }
  }
  parts.push({ line: from, endLine: block.endLine });
  return parts;
}

const boilerplate = /^(?:(?:[-*+>]|\d+[.)])\s+)?(?:`{3,}|~{3,}|\.\.\s|import\s|from\s.*\simport\s|(?:#include|using|use)\s)/;

/** Returns the lines of a code block with content: fences, directives and imports are left out. */
function codeLines(block: DocumentBlock, lines: readonly string[]): readonly number[] {
  const numbers: number[] = [];
  for (let line = block.line; line <= block.endLine; line += 1) {
    const text = (lines[line - 1] ?? '').trim();
    if (/[\p{L}\p{N}]/u.test(text) && !boilerplate.test(text)) numbers.push(line);
  }
  return numbers;
}
