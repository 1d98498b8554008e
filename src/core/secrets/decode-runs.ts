import { Decoded, gap, type Decoding } from './decoded.ts';

/** Returns what the longer words of base64 and hexadecimal in a text encode, if it is text. Takes time in proportion to the text. */
export function decodeRuns(text: string): readonly Decoding[] {
  const runs = runsIn(text);
  if (runs.length === 0) return [];
  const bytes = runs.flatMap(([from, to]) => hexadecimalIn(text, from, to));
  return [decodeAll(text, runs, 4), decodeAll(text, bytes, 2)].filter((one) => one !== undefined);
}

const digitOf = new Uint8Array(128).fill(255);
for (const [index, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  digitOf[digit.charCodeAt(0)] = index;
digitOf[0x2d] = 62;
digitOf[0x5f] = 63;

/** Shortest word of data, and shortest line of one that goes on after a line break. */
const shortestRun = 16;
const shortestLine = 2;

/** Returns the ranges of words of base64 or hexadecimal, over line breaks. */
function runsIn(text: string): readonly (readonly [number, number])[] {
  const runs: (readonly [number, number])[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const from = at;
    at = endOfDigits(text, from);
    if (at - from < shortestRun) continue;
    for (let line = lineAfter(text, at); line > 0; line = lineAfter(text, at)) {
      const end = endOfDigits(text, line);
      if (end - line < shortestLine) break;
      at = end;
    }
    runs.push([from, at]);
  }
  return runs;
}

/** Returns the parts of a word that are digits of hexadecimal only. */
function hexadecimalIn(text: string, from: number, to: number): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (let at = from; at < to; at += 1) {
    const begin = at;
    while (at < to && isHexadecimal(text.charCodeAt(at))) at += 1;
    if (at - begin >= shortestRun) found.push([begin, at]);
  }
  return found;
}

function isHexadecimal(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) if ((digitOf[text.charCodeAt(at)] ?? 255) === 255) break;
  return at;
}

/** Returns the beginning of the line after a line break at this offset; 0 when there is none. */
function lineAfter(text: string, at: number): number {
  if (text.charCodeAt(at) === 10) return at + 1;
  return text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10 ? at + 2 : 0;
}

/** Decodes words, of digits of 6 or 4 bits, with a gap after each; undefined when none holds text. */
function decodeAll(text: string, runs: readonly (readonly [number, number])[], digitsPerGroup: 2 | 4): Decoding | undefined {
  let decoded: Decoded | undefined;
  for (const [index, to] of runs) {
    const run = text.slice(index, to);
    const kind = kindOf(run, digitsPerGroup);
    if (kind === 'data') continue;
    decoded ??= new Decoded(text.length);
    if (kind === 'bytes') decodeRun(run, digitsPerGroup, (value, at, end) => decoded?.addByte(value, index + at, index + end));
    else decodeWide(run, digitsPerGroup, kind === 'big-endian', (code, at, end) => decoded?.add(code, index + at, index + end));
    decoded.add(gap, to - 1, to);
  }
  return decoded?.toDecoding();
}

type Take = (value: number, at: number, end: number) => void;

/** Tells from its beginning what a word encodes: text in bytes or in UTF-16, or data, as most long words do (pictures, keys). */
function kindOf(run: string, digitsPerGroup: 2 | 4): 'bytes' | 'little-endian' | 'big-endian' | 'data' {
  const zeros = [0, 0];
  let bytes = 0;
  let odd = 0;
  let last = 0;
  decodeRun(run.slice(0, 400), digitsPerGroup, (value) => {
    if (value === 0) zeros[bytes % 2] = (zeros[bytes % 2] ?? 0) + 1;
    bytes += 1;
    const isControl = (value < 32 && value !== 0 && (value < 9 || value > 13)) || value === 127 || value >= 0xf8;
    // In UTF-8 a byte of a longer character continues one, and is continued if it begins one.
    const continues = value >= 0x80 && value < 0xc0;
    if (isControl || (continues && last < 0x80) || (!continues && last >= 0xc0)) odd += 1;
    last = value;
  });
  const [even = 0, uneven = 0] = zeros;
  if (Math.max(even, uneven) * 5 >= bytes) return even > uneven ? 'big-endian' : 'little-endian';
  return odd * 5 <= bytes ? 'bytes' : 'data';
}

/** Decodes a word as UTF-16. */
function decodeWide(run: string, digitsPerGroup: 2 | 4, isBigEndian: boolean, take: Take): void {
  let first: readonly [value: number, at: number] | undefined;
  decodeRun(run, digitsPerGroup, (value, at, end) => {
    if (first === undefined) first = [value, at];
    else {
      take(isBigEndian ? first[0] * 256 + value : first[0] + value * 256, first[1], end);
      first = undefined;
    }
  });
}

function decodeRun(run: string, digitsPerGroup: 2 | 4, take: Take): void {
  let bits = 0;
  let count = 0;
  let begin = 0;
  for (let at = 0; at < run.length; at += 1) {
    const code = run.charCodeAt(at);
    const digit = digitsPerGroup === 2 ? Number.parseInt(run[at] ?? '', 16) : (digitOf[code] ?? 255);
    // A line break between two lines of one word.
    if (digit === 255 || Number.isNaN(digit)) continue;
    if (count === 0) begin = at;
    bits = ((bits << (digitsPerGroup === 2 ? 4 : 6)) | digit) & 0xffff;
    count += digitsPerGroup === 2 ? 4 : 6;
    if (count < 8) continue;
    count -= 8;
    take((bits >> count) & 0xff, begin, at + 1);
    begin = at;
  }
}
