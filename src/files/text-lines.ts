/**
 * Splits text into lines as editors and `sed -n` count them: at LF or CRLF; a final line break does not start another line. The line
 * break, CR included, is not part of a line; an empty text has no lines.
 */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Joins the lines `from` to `to` (1-based, inclusive) with LF, the form in which hits and passages are quoted. */
export function joinLines(lines: readonly string[], from: number, to: number): string {
  return lines.slice(from - 1, to).join('\n');
}

/** Decoded text of a file, or the reason why it is not a text document. */
export type DecodedText = { readonly text: string } | { readonly reason: string };

const binaryProbeBytes = 8192;

/** Decodes the bytes of a document: UTF-8 only, a leading byte order mark dropped, a NUL near the start means binary. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes.subarray(0, binaryProbeBytes).includes(0)) return { reason: 'it is a binary file (it has a NUL byte near the start)' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // The decoder fails only for bytes that are not UTF-8.
    return { reason: 'it is not UTF-8 text' };
  }
}
