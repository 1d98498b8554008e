import type { OpenFile } from '../files/open-file.ts';

/** Lines of a file, and what else was seen on the way. */
export interface ScannedLines {
  readonly lines: readonly string[];
  /** The last line was seen, so `total` is how many there are. */
  readonly isEnd: boolean;
  /** How many lines were seen. */
  readonly total: number;
  /** The room for characters was used up before the last line that was asked for. */
  readonly isCut: boolean;
}

/** Which lines are wanted (1-based, inclusive), and when to stop. */
export interface ScanRequest {
  readonly from: number;
  readonly to: number;
  readonly maxChars: number;
  /** How much of the file may be looked at. */
  readonly maxBytes: number;
  readonly encoding: string;
  readonly signal: AbortSignal;
}

const chunkBytes = 256 * 1024;

/**
 * Reads lines of an open file piece by piece, so that a part of a huge file costs no more than what lies before it.
 *
 * @throws TypeError when the bytes are no text in the encoding
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
    // Only what is new is split: a line of many pieces would be gone through again with each of them.
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
