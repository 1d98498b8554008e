import type { DocumentBlock, DocumentFormat } from './document-block.ts';

const importPattern = /^import\s+(?:['"{*]|[\w$]+\s*(?:,|\s+from\s))/;
const exportPattern = /^export\s+(?:const|let|var|default|async|function|class|interface|type)\b|^export\s+[{*]/;
const longestParsedLine = 4000;

/** Reads tags, comments and MDX statements that start at a line; undefined when the line is none of these. */
export type MarkupScanner = (at: number) => DocumentBlock | undefined;

/**
 * Creates the scanner for tags, comments and MDX imports of one document.
 *
 * Looks ahead for a closing mark at most once per kind of mark: once none was found, every later one is unclosed too.
 */
export function createMarkupScanner(lines: readonly string[], format: DocumentFormat): MarkupScanner {
  const unclosed = new Set<string>();
  let unclosedIndent = -1;

  const until = (at: number, mark: string): number | undefined => {
    if (unclosed.has(mark)) return undefined;
    for (let end = at; end < lines.length; end += 1) {
      if ((lines[end] ?? '').includes(mark)) return end + 1;
    }
    unclosed.add(mark);
    return undefined;
  };

  const untilTagEnd = (at: number): number | undefined => {
    const indent = indentOf(lines[at] ?? '');
    if (indent <= unclosedIndent) return undefined;
    for (let end = at + 1; end < lines.length; end += 1) {
      const line = lines[end] ?? '';
      if (indentOf(line) <= indent && /^(?:\/?>|[^<]*\/>)$/.test(line.slice(0, longestParsedLine).trim())) return end + 1;
    }
    unclosedIndent = indent;
    return undefined;
  };

  return (at) => {
    const line = lines[at] ?? '';
    const trimmed = line.slice(0, longestParsedLine).trim();
    if (trimmed.startsWith('<!--')) return block('meta', at, until(at, '-->'));
    if (format === 'mdx' && trimmed.startsWith('{/*')) return block('meta', at, until(at, '*/}'));
    if (format === 'mdx' && (importPattern.test(line) || exportPattern.test(line)))
      return block('meta', at, paragraphEnd(lines, at));
    if (!/^<\/?[A-Za-z]/.test(trimmed)) return undefined;
    if (!trimmed.includes('>')) return block('markup', at, untilTagEnd(at));
    return line.length < longestParsedLine && hasWords(trimmed) ? undefined : block('markup', at, at + 1);
  };
}

function block(kind: 'meta' | 'markup', at: number, endLine: number | undefined): DocumentBlock | undefined {
  return endLine === undefined ? undefined : { kind, line: at + 1, endLine };
}

/** True when a line has words besides its tags: `<p>like these</p>`. */
function hasWords(line: string): boolean {
  return /\p{L}/u.test(line.replace(/<[^<>]*>/g, ''));
}

/** Returns the number of blanks before a line's text. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function paragraphEnd(lines: readonly string[], at: number): number {
  let end = at;
  while (end < lines.length && (lines[end] ?? '').trim() !== '') end += 1;
  return end;
}
