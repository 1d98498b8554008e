import { documentEndings } from './parse/document-endings.ts';

/** A `file:line` found in a line of text: the place it names and its position in the line. */
export interface CitationPlace {
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
export function findCitationPlaces(text: string, isFile: (file: string) => boolean): readonly CitationPlace[] {
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
