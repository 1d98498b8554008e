/** A piece of a text, verbatim; `cut` is true when something was left out. */
export interface CutText {
  readonly text: string;
  readonly cut: boolean;
}

/**
 * Shortens a text to a window around the first of the given words, at word boundaries where there are spaces. The result is always a
 * verbatim piece of the text.
 */
export function cutAround(text: string, words: readonly string[], maxChars: number): CutText {
  if (text.length <= maxChars) return { text, cut: false };
  const lower = text.toLowerCase();
  // Words are found by their stem; their first letters are enough to locate the window.
  const found = words.map((word) => lower.indexOf(word.slice(0, Math.max(4, word.length - 3)))).filter((at) => at >= 0);
  const middle = found.length === 0 ? 0 : Math.min(...found);
  let from = Math.max(0, Math.min(middle - Math.floor(maxChars / 3), text.length - maxChars));
  let to = from + maxChars;
  if (from > 0) {
    const space = text.indexOf(' ', from);
    from = space >= 0 && space < Math.min(from + 40, middle) ? space + 1 : skipHalfPair(text, from);
  }
  if (to < text.length) {
    const space = text.lastIndexOf(' ', to);
    to = space > to - 40 && space > from ? space : backHalfPair(text, to);
  }
  return { text: text.slice(from, to), cut: true };
}

/** Skips the second half of a surrogate pair. */
function skipHalfPair(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

function backHalfPair(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
