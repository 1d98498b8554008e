import { withoutLast } from './code-sections.ts';
import { cutHeading, type DocumentBlock } from './document-block.ts';

const marked = /^(={1,6}|\*{1,6})\s+(\S.*)$/;
const command = /^\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]{0,200}\])?\{(.{1,300})\}/;
const commands = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph'];

/** Reads a heading of AsciiDoc (`== Title`), Org (`** Title`) or LaTeX (`\section{Title}`). */
export function scanOutline(line: string, at: number): DocumentBlock | undefined {
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
