import { documentEndings } from './parse/document-endings.ts';

/** A place in a document that a report cites, and the text it quotes from there. */
export interface Citation extends Pick<CitationPlace, 'citation' | 'file' | 'line' | 'endLine'> {
  /** Quoted text, verbatim; undefined when nothing is quoted. */
  readonly quote: string | undefined;
}

const maxReportChars = 500_000;
const maxLeadChars = 4_000;
const fencePattern = /^\s*(`{3,}|~{3,})/;
// Allowed between a quoted block and its citation: a dash, brackets, "Source:".
const blockLead = /^[\s>—–\-*_([`]*(?:(?:source|from|see|in)\b[\s:*_([`]*)?$/i;
// In a blockquote, only the end of a line is a citation; the rest belongs to the quoted text.
const endOfLine = /^[\s)\]`.*_]*$/;
const connector = /[\s([*_—–:,-]{1,20}$/;
const openOf: Readonly<Record<string, string>> = { '"': '"', '`': '`', '”': '“', '“': '„', '»': '«', '」': '「' };

/**
 * Finds the citations of a Markdown report. A citation is `file:line` or `file:line-line`, and it quotes
 *
 * - a blockquote or a code block, with `— file:line` as its last line, at the end of its last line, or below it:
 *
 *       > Set `needsApproval` on the tool.
 *       — guide/tools.md:12
 *
 * - or text in quotation marks or backticks right before it, in parentheses or brackets, or after a dash:
 *   `"Set the flag" (guide/tools.md:12)`.
 *
 * Any other citation quotes nothing. Text inside a code block is quoted text, never a citation.
 */
export function findCitations(report: string, isFile: (file: string) => boolean): readonly Citation[] {
  const citations: Citation[] = [];
  let block: string[] = [];
  let inQuote = false;
  let fence: string | undefined;
  let paragraph = '';
  for (const line of report.slice(0, maxReportChars).split(/\r?\n/)) {
    const mark = fencePattern.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
      else block.push(line);
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      block = [];
      inQuote = false;
      continue;
    }
    const isQuote = /^\s*>/.test(line);
    if (isQuote && !inQuote) block = [];
    const blank = line.trim() === '';
    const places = findCitationPlaces(line, isFile).filter(({ end }) => !isQuote || endOfLine.test(line.slice(end)));
    citations.push(...toCitations(line, places, { block, paragraph, isQuote }));
    if (places.length > 0) block = [];
    else if (isQuote) block.push(line.replace(/^\s*> ?/, ''));
    else if (!blank) block = [];
    inQuote = isQuote;
    paragraph = blank ? '' : nextParagraph(paragraph, line, places.at(-1));
  }
  return citations;
}

interface Surroundings {
  /** Lines of the blockquote or code block that ends above. */
  readonly block: readonly string[];
  /** The paragraph since its last citation: a quotation may begin in it. */
  readonly paragraph: string;
  readonly isQuote: boolean;
}

function toCitations(line: string, places: readonly CitationPlace[], around: Surroundings): readonly Citation[] {
  return places.map((place, index) => {
    const { citation, file, endLine } = place;
    const lead = line.slice(index === 0 ? 0 : (places[index - 1]?.end ?? 0), place.start);
    const quote = index === 0 ? firstQuote(lead, around) : quotationBefore(lead);
    return { citation, file, line: place.line, endLine, quote };
  });
}

function firstQuote(lead: string, { block, paragraph, isQuote }: Surroundings): string | undefined {
  if (blockLead.test(lead) && block.length > 0) return block.join('\n');
  const text = isQuote ? lead.replace(/^\s*> ?/, '') : lead;
  const quotation = quotationBefore(isQuote ? text : paragraph + text);
  if (quotation !== undefined || !isQuote) return quotation;
  return [...block, withoutConnector(text)].join('\n');
}

/** Returns the text in quotation marks or backticks that ends right before a citation, without the marks. */
function quotationBefore(lead: string): string | undefined {
  const text = withoutConnector(lead);
  const open = openOf[text.at(-1) ?? ''];
  if (open === undefined || text.length === lead.length) return undefined;
  for (let at = text.length - 3; at >= 0; at -= 1) {
    // A straight mark looks the same at both ends: it opens only where a word could begin.
    if (text[at] === open && (open !== '"' || at === 0 || /[\s([{—–*_>]/.test(text[at - 1] ?? ''))) return text.slice(at + 1, -1);
  }
  return undefined;
}

/** Drops the connector between a quotation and its citation, including the backtick before the citation. */
function withoutConnector(lead: string): string {
  return (lead.endsWith('`') ? lead.slice(0, -1) : lead).replace(connector, '');
}

function nextParagraph(paragraph: string, line: string, last: CitationPlace | undefined): string {
  const rest = last === undefined ? paragraph + line : line.slice(last.end);
  return `${rest}\n`.slice(-maxLeadChars);
}

/** A `file:line` found in a line of text: the place it names and its position in the line. */
interface CitationPlace {
  /** The citation as written, e.g. `guide/tools.md:12-14`. */
  readonly citation: string;
  readonly file: string;
  readonly line: number;
  /** Last line of a range; undefined when one line is named. */
  readonly endLine: number | undefined;
  readonly start: number;
  readonly end: number;
}

const maxFileChars = 400;
/** Longest document name without an ending that is looked up; text has many more colons than such names. */
const maxPlainChars = 200;
const endings = documentEndings.map((ending) => ending.slice(1)).join('|');
const placePattern = new RegExp(`(\\.(?:${endings}))?:(\\d{1,9})(?:[-–](\\d{1,9}))?`, 'gi');
const separator = /[\s()[\]{}<>"“”„«»'‘’`,;|*—–]/;

/**
 * Finds `file:line` and `file:line-line` in a line of text; skips parts of web addresses. `isFile` separates file names with spaces from
 * the words before them, and names without a document's ending from other words before a colon.
 */
function findCitationPlaces(text: string, isFile: (file: string) => boolean): readonly CitationPlace[] {
  const found: CitationPlace[] = [];
  for (const match of text.matchAll(placePattern)) {
    const colon = match.index + match[0].indexOf(':');
    const hasEnding = match[1] !== undefined;
    const earliest = Math.max(found.at(-1)?.end ?? 0, colon - (hasEnding ? maxFileChars : maxPlainChars));
    const start = fileStart(text, { from: earliest, colon }, isFile);
    const file = withoutDot(text.slice(start, colon));
    if (!hasEnding && !isFile(file)) continue;
    if (/^(?:[a-z]+:)?\/\//i.test(file)) continue;
    const end = match.index + match[0].length;
    const endLine = match[3] === undefined ? undefined : Number(match[3]);
    found.push({ citation: text.slice(start, end), file, line: Number(match[2]), endLine, start, end });
  }
  return found;
}

/** Returns where a file name begins: as far left as a known name reaches, else after the last space, bracket or quote. */
function fileStart(
  text: string,
  { from, colon }: { readonly from: number; readonly colon: number },
  isFile: (file: string) => boolean,
): number {
  let last = from;
  for (let at = from; at < colon; at += 1) {
    if (at > from && !separator.test(text[at - 1] ?? '')) continue;
    if (isFile(withoutDot(text.slice(at, colon)))) return at;
    last = at;
  }
  return last;
}

function withoutDot(file: string): string {
  return file.startsWith('./') ? file.slice(2) : file;
}
