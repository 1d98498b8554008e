import type { MarkdownBlock } from './markdown-block.ts';
import { type MarkdownPiece, MarkdownReader } from './markdown-reader.ts';

/** Parses Markdown; every text is valid. Time and memory are linear in its length. */
export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  const groups: MarkdownPiece[][] = [];
  const reader = new MarkdownReader((piece) => {
    if (piece.continues) groups.at(-1)?.push(piece);
    else groups.push([piece]);
  });
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) reader.line(line);
  reader.end();
  return groups.flatMap((pieces) => joined(pieces.map(({ block }) => block)));
}

/** Joins the pieces of one block. */
function joined(pieces: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const [first] = pieces;
  if (first === undefined || pieces.length === 1) return pieces;
  if (first.kind === 'code')
    return [{ ...first, text: pieces.flatMap((piece) => (piece.kind === 'code' ? [piece.text] : [])).join('\n') }];
  return [{ kind: 'list', items: pieces.flatMap((piece) => (piece.kind === 'list' ? piece.items : [])) }];
}
