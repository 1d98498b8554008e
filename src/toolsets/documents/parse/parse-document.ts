import { basename } from 'node:path';
import { documentFormat, type DocumentBlock, type ParsedDocument } from './document-block.ts';
import { readFrontmatter } from './frontmatter.ts';
import { createBlockScanner } from './block-scanner.ts';

/**
 * Parses a document into blocks with their real line numbers.
 *
 * One pass in linear time for any text: an unclosed fence runs to the end, an unclosed tag or comment is prose.
 */
export function parseDocument(file: string, lines: readonly string[]): ParsedDocument {
  const format = documentFormat(file);
  const blocks: DocumentBlock[] = [];
  const front = format === 'markdown' || format === 'mdx' ? readFrontmatter(lines) : undefined;
  if (front !== undefined) blocks.push({ kind: 'meta', line: 1, endLine: front.endLine });
  const scan = createBlockScanner(lines, format);
  for (let at = front?.endLine ?? 0; at < lines.length;) {
    if ((lines[at] ?? '').trim() === '') {
      at += 1;
      continue;
    }
    const block = scan(at);
    blocks.push(block);
    at = block.endLine;
  }
  const firstHeading = blocks.find((block) => block.heading !== undefined)?.heading?.text;
  return { title: front?.title || firstHeading || basename(file), description: front?.description ?? '', blocks };
}
