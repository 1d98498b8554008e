/** Returns the first `max` characters of a text, or one fewer where that would split a character. */
export function cutEnd(text: string, max: number): string {
  return text.slice(0, beforeHalf(text, max));
}

/** Steps back from the middle of a surrogate pair. */
export function beforeHalf(text: string, at: number): number {
  return at > 0 && isLowSurrogate(text, at) ? at - 1 : at;
}

/** True when the code unit at an index is the second half of a surrogate pair. */
export function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
