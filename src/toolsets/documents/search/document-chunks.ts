import { maxHitChars } from '../document-limits.ts';
import { joinHeadings, type DocumentBlock, type ParsedDocument } from '../parse/document-block.ts';
import { joinLines } from '../../../files/text-lines.ts';

/** A searchable piece of a document: whole lines of one section, and the texts it is found by. */
export interface DocumentChunk {
  /** First and last line, 1-based and inclusive. */
  readonly line: number;
  readonly endLine: number;
  /** The headings above, outermost first, joined with ` > `. */
  readonly heading: string;
  readonly prose: string;
  readonly code: string;
}

/**
 * Splits a document into chunks of at most 700 characters at line boundaries (a single longer line stays whole).
 *
 * Combines blocks of one section as long as they fit; a heading with nothing below it is its own chunk, so that it can be found;
 * frontmatter, imports and comments are in no chunk.
 */
export function* chunkDocument(parsed: ParsedDocument, lines: readonly string[]): Generator<DocumentChunk, void> {
  const path: { readonly level: number; readonly text: string }[] = [];
  let gathered: DocumentBlock[] = [];
  const headingPath = (): string => joinHeadings(path);
  const flush = (): readonly DocumentChunk[] => {
    const chunks = gathered.length > 0 ? [toChunk(gathered, headingPath(), lines)] : [];
    gathered = [];
    return chunks;
  };

  for (const [index, block] of parsed.blocks.entries()) {
    if (block.heading !== undefined) {
      yield* flush();
      while ((path.at(-1)?.level ?? 0) >= block.heading.level) path.pop();
      path.push(block.heading);
      if (isEmptySection(parsed.blocks, index)) yield toChunk([block], headingPath(), lines);
    } else if (block.kind === 'meta') yield* flush();
    else {
      for (const piece of splitBlock(block, lines)) {
        if (gathered.length > 0 && !fits([...gathered, piece], lines)) yield* flush();
        gathered.push(piece);
      }
    }
  }
  yield* flush();
}

/** True when a heading has neither text nor a deeper heading below it. */
function isEmptySection(blocks: readonly DocumentBlock[], index: number): boolean {
  const next = blocks[index + 1];
  return next === undefined || (next.heading !== undefined && next.heading.level <= (blocks[index]?.heading?.level ?? 0));
}

/** Splits a block that is too long for one chunk, at line boundaries. */
function splitBlock(block: DocumentBlock, lines: readonly string[]): readonly DocumentBlock[] {
  const pieces: DocumentBlock[] = [];
  let from = block.line;
  let length = 0;
  for (let line = block.line; line <= block.endLine; line += 1) {
    const added = (lines[line - 1] ?? '').length + 1;
    if (length > 0 && length + added > maxHitChars) {
      pieces.push({ kind: block.kind, line: from, endLine: line - 1 });
      from = line;
      length = 0;
    }
    length += added;
  }
  pieces.push({ kind: block.kind, line: from, endLine: block.endLine });
  return pieces;
}

function fits(blocks: readonly DocumentBlock[], lines: readonly string[]): boolean {
  const from = blocks[0]?.line ?? 1;
  const to = blocks.at(-1)?.endLine ?? from;
  let length = 0;
  for (let line = from; line <= to; line += 1) {
    length += (lines[line - 1] ?? '').length + 1;
    if (length > maxHitChars) return false;
  }
  return true;
}

function toChunk(blocks: readonly DocumentBlock[], heading: string, lines: readonly string[]): DocumentChunk {
  const textOf = (wanted: (block: DocumentBlock) => boolean): string =>
    blocks
      .filter(wanted)
      .map((block) => joinLines(lines, block.line, block.endLine))
      .join('\n');
  return {
    line: blocks[0]?.line ?? 1,
    endLine: blocks.at(-1)?.endLine ?? 1,
    heading,
    prose: textOf(({ kind }) => kind === 'prose'),
    code: textOf(({ kind }) => kind === 'code' || kind === 'markup'),
  };
}
