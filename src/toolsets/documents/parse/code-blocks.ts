import { cutHeading, type DocumentBlock } from './document-block.ts';

/** A line that declares something at the start of the line: a function, a class, a section of a configuration file. */
const declaration =
  /^(?:export\s+(?:default\s+)?|public\s+|private\s+|protected\s+|internal\s+|static\s+|abstract\s+|final\s+|pub(?:\([a-z]+\))?\s+|async\s+)*(?:function\*?|class|interface|trait|struct|enum|impl|def|fn|func|type|module|namespace|package|object|record|CREATE\s+(?:TABLE|VIEW|INDEX))\s+["'`]?[\p{L}_$]|^\[{1,2}[\p{L}\d_."' -]{1,80}\]{1,2}\s*$/u;

/** Longest line that is looked at as a declaration. */
const longestLine = 300;

/** Returns the blocks of source code, configuration or data: runs of lines, and declarations at the start of a line as headings. */
export function codeBlocks(lines: readonly string[]): readonly DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  let from: number | undefined;
  const close = (before: number): void => {
    if (from !== undefined) blocks.push({ kind: 'code', line: from, endLine: before - 1 });
    from = undefined;
  };
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (line.trim() === '') close(number);
    else if (line.length <= longestLine && declaration.test(line)) {
      close(number);
      blocks.push({ kind: 'heading', line: number, endLine: number, heading: { level: 1, text: cutHeading(line.trim()) } });
      // The line is code, too: it is found by its words and shown with what follows.
      from = number;
    } else from ??= number;
  }
  close(lines.length + 1);
  return blocks;
}
