/** Maximum number of characters of a row: longer lines continue in the next row. */
const longest = 1_000;
/** Approximate maximum number of rows of a text: beyond it, short lines share a row. */
const mostRows = 100_000;

/** Start (inclusive) and end (exclusive) of a row in a text, including its line feed. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Returns a function that cuts consecutive parts of `text` into rows; call it with their bounds in rising order. */
export function lineCutter(text: string): (start: number, end: number) => readonly LineRange[] {
  const shortest = Math.floor(text.length / mostRows);
  let feed = text.indexOf('\n');
  const lineEnd = (at: number): number => {
    // Searched once, however many rows are before it.
    if (feed >= 0 && feed < at) feed = text.indexOf('\n', at);
    return feed < 0 ? text.length : feed + 1;
  };
  return (start, end) => {
    const rows: LineRange[] = [];
    for (let at = start; at < end;) {
      const stop = Math.min(rowEnd(text, at, lineEnd, shortest), end);
      rows.push({ start: at, end: stop });
      at = stop;
    }
    return rows;
  };
}

function rowEnd(text: string, at: number, lineEnd: (at: number) => number, shortest: number): number {
  const stop = lineEnd(at + Math.max(0, shortest - 1));
  if (stop - at <= longest) return stop;
  const cut = at + longest;
  return isInside(text, cut) ? cut - 1 : cut;
}

/** True when a place is between the halves of one character, or of one line end. */
function isInside(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return (before >= 0xd800 && before <= 0xdbff) || (before === 13 && text.charCodeAt(at) === 10);
}
