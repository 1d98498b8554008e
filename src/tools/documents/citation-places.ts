/** A `file:line` in a line of text: what it names, and where in the line it stands. */
export interface CitationPlace {
  /** As it stands in the text, e.g. `guide/tools.md:12-14`. */
  readonly citation: string;
  readonly file: string;
  readonly line: number;
  /** The last line of a range; undefined when one line is named. */
  readonly endLine: number | undefined;
  readonly start: number;
  readonly end: number;
}

const maxFileChars = 400;
const placePattern = /\.(?:mdx?|markdown|txt|rst):(\d{1,9})(?:[-–](\d{1,9}))?/gi;
const separator = /[\s()[\]{}<>"“”„«»'‘’`,;|*—–]/;

/**
 * Finds `file:line` and `file:line-line` in a line of text; parts of web addresses are left out. `isFile` tells file
 * names with spaces from the words before them.
 */
export function findCitationPlaces(text: string, isFile: (file: string) => boolean): readonly CitationPlace[] {
  const found: CitationPlace[] = [];
  for (const match of text.matchAll(placePattern)) {
    const colon = match.index + match[0].indexOf(':');
    const start = fileStart(text, found.at(-1)?.end ?? 0, colon, isFile);
    const file = withoutDot(text.slice(start, colon));
    if (/^(?:[a-z]+:)?\/\//i.test(file)) continue;
    const end = match.index + match[0].length;
    const endLine = match[2] === undefined ? undefined : Number(match[2]);
    found.push({ citation: text.slice(start, end), file, line: Number(match[1]), endLine, start, end });
  }
  return found;
}

/** Where a file name begins: as far left as a known name reaches, else after the last space, bracket or quote. */
function fileStart(text: string, earliest: number, colon: number, isFile: (file: string) => boolean): number {
  const from = Math.max(earliest, colon - maxFileChars);
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
