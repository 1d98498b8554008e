import type { OpenFile } from '../files/open-file.ts';

/** Lines of a file, and the state of the scan. */
export interface ScannedLines {
  readonly lines: readonly string[];
  /** The scan reached the end, so `total` counts all lines. */
  readonly isEnd: boolean;
  /** Number of lines seen. */
  readonly total: number;
  /** A limit was reached before the last requested line. */
  readonly isCut: boolean;
}

/** Lines to read (1-based, inclusive), and limits. */
export interface ScanRequest {
  readonly from: number;
  readonly to: number;
  readonly maxChars: number;
  /** Maximum number of bytes scanned. */
  readonly maxBytes: number;
  readonly encoding: string;
  readonly signal: AbortSignal;
}

const chunkBytes = 256 * 1024;

/**
 * Reads lines of an open file piece by piece, so that a part of a huge file costs no more than the bytes before it.
 *
 * @throws TypeError when the bytes are not text in the encoding
 */
export async function scanLines({ handle }: OpenFile, request: ScanRequest): Promise<ScannedLines> {
  const { from, to, maxChars, maxBytes, encoding, signal } = request;
  const decoder = new TextDecoder(encoding, { fatal: true });
  const buffer = new Uint8Array(chunkBytes);
  const lines: string[] = [];
  let [number, room, rest, at] = [0, maxChars, '', 0];
  const take = (line: string): 'more' | 'cut' | 'done' => {
    number += 1;
    if (number < from) return 'more';
    if (number > to) return 'done';
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text.length + 1 > room) {
      if (lines.length > 0) return 'cut';
      lines.push(`${text.slice(0, room)}… (a line of ${text.length} characters)`);
      return 'cut';
    }
    room -= text.length + 1;
    lines.push(text);
    return 'more';
  };
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at);
    at += bytesRead;
    const isLast = bytesRead === 0;
    const pieces = decoder.decode(buffer.subarray(0, bytesRead), { stream: !isLast }).split('\n');
    // Only new bytes are split: otherwise a line of many pieces would be scanned again with each of them.
    pieces[0] = rest + (pieces[0] ?? '');
    rest = isLast ? '' : (pieces.pop() ?? '');
    if (isLast && pieces.at(-1) === '') pieces.pop();
    for (const piece of pieces) {
      const taken = take(piece);
      if (taken !== 'more') return { lines, isEnd: false, total: number - 1, isCut: taken === 'cut' };
    }
    if (isLast) return { lines, isEnd: true, total: number, isCut: false };
    if (at >= maxBytes) return { lines, isEnd: false, total: number, isCut: true };
  }
}
