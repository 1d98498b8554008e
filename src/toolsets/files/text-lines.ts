/**
 * Splits text into lines the way editors and `sed -n` count them: at LF or CRLF, where a final line break starts
 * no further line. The line break itself, CR included, is not part of a line; an empty text has no lines.
 */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Joins the lines `from` to `to` (1-based, inclusive) with LF, as hits and passages quote them. */
export function joinLines(lines: readonly string[], from: number, to: number): string {
  return lines.slice(from - 1, to).join('\n');
}

/** The decoded text of a file, or the reason why it is not a text document. */
export type DecodedText = { readonly text: string } | { readonly reason: string };

const binaryProbeBytes = 8192;

/** Decodes the bytes of a document: UTF-8 only, a leading byte order mark dropped, a NUL near the start means binary. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes.subarray(0, binaryProbeBytes).includes(0)) return { reason: 'it is a binary file (it has a NUL byte near the start)' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // The decoder has one way to fail, and "not UTF-8" is the whole of what it has to say.
    return { reason: 'it is not UTF-8 text' };
  }
}
