/** Range of a text: start (inclusive), end (exclusive). */
export type Range = readonly [number, number];

/** Block between two fences. */
export interface Fence {
  readonly range: Range;
  /** Range between the fences. */
  readonly inner: Range;
}

const fence = / {0,3}(`{3,100}|~{3,100})/y;

/** Finds fenced blocks; an unclosed one extends to the end. */
export function fencesOf(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { readonly at: number; readonly inner: number; readonly mark: string } | undefined;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const next = newline === -1 ? end : end + 1;
    fence.lastIndex = at;
    const mark = fence.exec(text)?.[1];
    if (open === undefined && mark !== undefined) open = { at, inner: next, mark };
    else if (open !== undefined && mark?.startsWith(open.mark) === true) {
      fences.push({ range: [open.at, end], inner: [open.inner, at] });
      open = undefined;
    }
    at = next;
  }
  if (open !== undefined) fences.push({ range: [open.at, text.length], inner: [open.inner, open.inner] });
  return fences;
}

/** Returns the inside of a text that is exactly one fenced block; any other text unchanged. */
export function withoutOuterFence(text: string): string {
  const trimmed = text.trim();
  if (!/^[`~]{3}/.test(trimmed)) return text;
  const [block, more] = fencesOf(trimmed);
  const isWhole = block !== undefined && more === undefined && block.range[1] === trimmed.length;
  return isWhole && block.inner[1] > block.inner[0] ? trimmed.slice(...block.inner) : text;
}

/** Finds the quoted ranges of a text: fenced blocks, code between backticks, lines that begin with `>`. */
export function quotedRanges(text: string, fences: readonly Fence[] = fencesOf(text)): readonly Range[] {
  const ranges: Range[] = fences.map(({ range }) => range);
  for (const pattern of [/`[^`\n]+`/g, /^ {0,3}>.*$/gm]) {
    for (const match of text.matchAll(pattern)) ranges.push([match.index, match.index + match[0].length]);
  }
  return ranges.toSorted(([a], [b]) => a - b);
}

/** Returns a function that is true for quoted positions; ask it in ascending order. */
export function quoteChecker(ranges: readonly Range[]): (place: number) => boolean {
  let reach = -1;
  let next = 0;
  return (place) => {
    for (let range = ranges[next]; range !== undefined && range[0] <= place; range = ranges[next]) {
      reach = Math.max(reach, range[1]);
      next += 1;
    }
    return place < reach;
  };
}
