/** What stands where text was cut out of a result; `ref` is the address of the whole. */
export function cutMarker(characters: number, ref?: string): string {
  const stored = ref === undefined ? '' : `; the full result is stored as ${ref}`;
  return `\n… [${characters} characters cut${stored}] …\n`;
}

/** Fits a text into about `max` characters: its head and its tail with a marker between them (FAULTS X3). Never splits a character. */
export function cutText(text: string, max: number, ref?: string): string {
  if (text.length <= max) return text;
  const room = Math.max(0, max - cutMarker(text.length, ref).length);
  const headEnd = beforeHalf(text, Math.ceil(room * 0.7));
  const tailStart = afterHalf(text, text.length - Math.floor(room * 0.3));
  return `${text.slice(0, headEnd)}${cutMarker(tailStart - headEnd, ref)}${text.slice(tailStart)}`;
}

/** Steps back from the middle of a surrogate pair. */
function beforeHalf(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at;
}

/** Steps forward from the middle of a surrogate pair. */
function afterHalf(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
