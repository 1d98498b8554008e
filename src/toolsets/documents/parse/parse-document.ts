import { basename } from 'node:path';
import type { DocumentBlock, ParsedDocument } from './document-block.ts';
import { documentFormat } from './document-endings.ts';
import { parseCode } from './parse-code.ts';
import { parseTable } from './parse-table.ts';
import { createBlockScanner } from './block-scanner.ts';
import { runAtOnce, type Steps } from './steps.ts';

/**
 * Parses a document into blocks with their real line numbers.
 *
 * One pass in linear time for any text: an unclosed fence runs to the end, an unclosed tag or comment is prose.
 */
export function parseDocument(file: string, lines: readonly string[]): ParsedDocument {
  return runAtOnce(parseInSteps(file, lines));
}

/** Does the same as `parseDocument`, in steps. */
export function* parseInSteps(file: string, lines: readonly string[]): Steps<ParsedDocument> {
  const named = documentFormat(file);
  const format = named === 'text' && lines[0]?.startsWith('#!') === true ? 'code' : named;
  if (format === 'table') return { title: basename(file), description: '', blocks: yield* parseTable(file, lines) };
  if (format === 'code' || format === 'data')
    return { title: basename(file), description: '', blocks: yield* parseCode(file, lines) };
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
    yield;
  }
  const firstHeading = blocks.find(({ heading }) => heading !== undefined && (format !== 'pdf' || heading.level === 1))?.heading
    ?.text;
  return { title: front?.title || firstHeading || basename(file), description: front?.description ?? '', blocks };
}

/** Fields the documents toolset uses from a document's frontmatter. */
interface Frontmatter {
  readonly title: string;
  readonly description: string;
  /** 1-based line of the closing mark. */
  readonly endLine: number;
}

const maxFrontmatterLines = 500;

/** Reads the `---` block at the very start of a document; undefined when there is none, or when it is never closed. */
function readFrontmatter(lines: readonly string[]): Frontmatter | undefined {
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.slice(1, maxFrontmatterLines).findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
  if (end === -1) return undefined;
  const fields = lines.slice(1, end + 1);
  return { title: field(fields, 'title'), description: field(fields, 'description'), endLine: end + 2 };
}

/** Returns a one-line value at the top level: enough for a title, without parsing untrusted YAML. */
function field(fields: readonly string[], name: string): string {
  const line = fields.find((candidate) => candidate.startsWith(`${name}:`));
  const value = line?.slice(name.length + 1, 400).trim() ?? '';
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted?.[2] ?? value;
}
