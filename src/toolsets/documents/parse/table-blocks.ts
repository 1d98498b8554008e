import { cutHeading, type DocumentBlock } from './document-block.ts';

/** Returns the blocks of a table as text (RFC 4180): the names of the columns as heading of all rows, and each row by itself. */
export function tableBlocks(lines: readonly string[]): readonly DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  let from: number | undefined;
  let isQuoted = false;
  for (const [index, line] of lines.entries()) {
    if (from === undefined && line.trim() === '') continue;
    from ??= index + 1;
    // A field in quotation marks may have line breaks; a doubled mark changes nothing.
    if ((line.match(/"/g)?.length ?? 0) % 2 === 1) isQuoted = !isQuoted;
    if (isQuoted) continue;
    blocks.push({ kind: 'prose', line: from, endLine: index + 1 });
    from = undefined;
  }
  // An unclosed quotation mark must not hide the rest of the file.
  if (from !== undefined)
    for (let line = from; line <= lines.length; line += 1) blocks.push({ kind: 'prose', line, endLine: line });
  const [first, ...rows] = blocks;
  if (first === undefined) return [];
  const names = cutHeading(lines.slice(first.line - 1, first.endLine).join(' '));
  return [{ ...first, kind: 'heading', heading: { level: 1, text: names } }, ...rows];
}
