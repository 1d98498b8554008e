import type { DocumentBlock } from './document-block.ts';
import { dataSections, findDeclaration, indentOf, type CodeSection } from './code-sections.ts';
import { documentFormat } from './document-endings.ts';
import type { Steps } from './steps.ts';

/** Lines that belong to the declaration below them: comments, decorators, attributes. */
const isLead = /^\s*(?:\/\/|\/\*|\*|#|@|--|;|%|"""|''')/;
const isComment = /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?:\s|$)|--(?:\s|$)|;;?\s|%\s|<!--)/;
const isCloser = /^(?:[)\]}]|#\s*end|end\b)/;

/**
 * Parses source code or data into sections: a heading for each declaration or top-level key, above a block that begins with its comments.
 * Comments are prose, everything else is code; one pass in linear time for any text, without the grammar of a language.
 */
export function* parseCode(file: string, lines: readonly string[]): Steps<readonly DocumentBlock[]> {
  const isData = documentFormat(file) === 'data';
  const sections = isData ? dataSections(file, lines) : findDeclaration;
  const blocks: DocumentBlock[] = [];
  let open: CodeSection | undefined;
  for (let from = 0; from < lines.length;) {
    if (isBlank(lines[from])) {
      from += 1;
      continue;
    }
    let to = from;
    while (to < lines.length && !isBlank(lines[to])) to += 1;
    let start = from;
    const first = firstOfText(lines, from, to);
    for (let at = from; at < to; at += 1) {
      const line = lines[at] ?? '';
      yield;
      const section = sections(line) ?? (!isData && at === first ? sectionEnd(line) : undefined);
      if (section === undefined || (section.text === '' && (open?.text ?? '') === '')) continue;
      const lead = leadOf(lines, start, at);
      blocks.push(...splitComments(lines, start, lead));
      blocks.push({ kind: 'heading', line: at + 1, endLine: at + 1, heading: section });
      open = section;
      start = lead;
    }
    blocks.push(...splitComments(lines, start, to));
    from = to;
  }
  return blocks;
}

/** Ends the section above where code begins at the left margin after an empty line. */
function sectionEnd(line: string): CodeSection | undefined {
  return indentOf(line) > 0 || isCloser.test(line) ? undefined : { level: 1, text: '' };
}

function firstOfText(lines: readonly string[], from: number, to: number): number {
  let at = from;
  while (at < to - 1 && isLead.test(lines[at] ?? '')) at += 1;
  return at;
}

/** Returns where the comments right above a line begin, not before `start`. */
function leadOf(lines: readonly string[], start: number, at: number): number {
  let lead = at;
  while (lead > start && isLead.test(lines[lead - 1] ?? '')) lead -= 1;
  return lead;
}

/** Splits lines (0-based, without the last) into blocks of comments and of code. */
function splitComments(lines: readonly string[], from: number, to: number): readonly DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  for (let at = from; at < to;) {
    const comment = isComment.test(lines[at] ?? '');
    let end = at + 1;
    while (end < to && isComment.test(lines[end] ?? '') === comment) end += 1;
    blocks.push({ kind: comment ? 'prose' : 'code', line: at + 1, endLine: end });
    at = end;
  }
  return blocks;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}
