import { CadreError } from '../../core/error.ts';
import { findCitations, type Citation } from './citation-format.ts';
import type { DocumentIndex } from './search/document-index.ts';

/** A citation that fails the check, and why. */
export interface CitationProblem {
  readonly citation: string;
  readonly reason: string;
}

/** Result of checking a report's citations against the documents. */
export interface CitationReport {
  readonly total: number;
  readonly ok: number;
  /** Citations among `ok` that name an existing line but quote nothing comparable. */
  readonly unquoted: number;
  readonly problems: readonly CitationProblem[];
}

const maxCitations = 500;
// A quotation may span lines when only its first is named, but not a whole document.
const maxQuotedLines = 60;

/**
 * Checks the citations of a Markdown report (see `findCitations` for their form) against the documents on disk: the file exists, it has
 * the line, and the quotation is there, verbatim except for line breaks.
 */
export async function checkCitations(index: DocumentIndex, report: string): Promise<CitationReport> {
  const citations = findCitations(report, (file) => index.has(file));
  const checked = citations.slice(0, maxCitations);
  const problems: CitationProblem[] = [];
  const documents = new Map<string, FlatDocument | string>();
  let unquoted = 0;
  for (const citation of checked) {
    const document = documents.get(citation.file) ?? (await openOrReason(index, citation.file));
    documents.set(citation.file, document);
    const reason = typeof document === 'string' ? document : findProblem(document, citation);
    if (reason !== undefined) problems.push({ citation: citation.citation, reason });
    else if (citation.quote === undefined) unquoted += 1;
  }
  const ok = checked.length - problems.length;
  const rest = citations.length - checked.length;
  if (rest > 0) problems.push({ citation: `${rest} more`, reason: `not checked: a report may have ${maxCitations} citations` });
  return { total: citations.length, ok, unquoted, problems };
}

async function openOrReason(index: DocumentIndex, file: string): Promise<FlatDocument | string> {
  try {
    return flattenDocument((await index.open(file)).lines);
  } catch (error) {
    // An unreadable cited file is a result of this check.
    if (error instanceof CadreError && (error.code === 'PATH_REFUSED' || error.code === 'TOOL_FAILED')) return error.message;
    throw error;
  }
}

/** A document as one text with single spaces, and the offset of each line (plus that of the end). */
interface FlatDocument {
  readonly text: string;
  readonly starts: readonly number[];
}

function flattenDocument(lines: readonly string[]): FlatDocument {
  const starts: number[] = [];
  const words: string[] = [];
  let length = 0;
  for (const line of lines) {
    starts.push(length);
    const flat = flatten(line);
    if (flat === '') continue;
    words.push(flat);
    length += flat.length + 1;
  }
  starts.push(length);
  return { text: words.join(' '), starts };
}

function findProblem(document: FlatDocument, { file, line, endLine, quote }: Citation): string | undefined {
  const lineCount = document.starts.length - 1;
  const last = endLine ?? line;
  if (line < 1 || last < line) return 'line numbers start at 1, and a range does not end before it begins';
  if (last > lineCount) return `${file} has only ${lineCount} lines`;
  if (quote === undefined) return undefined;
  const wanted = flatten(quote);
  if (wanted === '') return 'the quotation is empty';
  if (hasTextAt(document, { line, endLine }, wanted)) return undefined;
  const shown = wanted.length > 80 ? `${wanted.slice(0, 80)}…` : wanted;
  const place = endLine === undefined ? `line ${line}` : `lines ${line}-${endLine}`;
  const elsewhere = document.text.indexOf(wanted);
  if (elsewhere < 0) return `"${shown}" is not on ${place}, nor anywhere else in ${file}`;
  const found = document.starts.findLastIndex((start) => start <= elsewhere) + 1;
  return `"${shown}" is on line ${found} of ${file}, not on ${place}`;
}

/** True when a quotation begins on a line, and ends by the end of the range if one is given. */
function hasTextAt({ text, starts }: FlatDocument, { line, endLine }: Pick<Citation, 'line' | 'endLine'>, wanted: string): boolean {
  const from = starts[line - 1] ?? text.length;
  const range = text.slice(from, starts[Math.min(endLine ?? line + maxQuotedLines, starts.length - 1)]);
  const at = range.indexOf(wanted);
  return at >= 0 && (endLine !== undefined || at + from < (starts[line] ?? text.length));
}

function flatten(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
