/** Returns a text that can only be a name; undefined for one with the form of a sentence, also where a name belongs. */
export function asName(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.:@/+~-]{1,128}$/.test(text) ? text : undefined;
}

/** Value of `error.type`: a code. `_OTHER`, the conventions' value for the rest, replaces the words of a tool or a store. */
export function errorType(code: string): string {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) || asName(code.toLowerCase()) === code ? code : '_OTHER';
}
