import { toText } from './loose-text.ts';

/** A text that another one encodes: `at[i]` and `end[i]` are the original offsets around its character `i`. */
export interface Decoding {
  readonly text: string;
  readonly at: Uint32Array;
  readonly end: Uint32Array;
}

/** Bytes of the longest character in UTF-8, and the most bytes that are kept together. */
const longestCharacter = 4;
const mostBytes = 4_096;

/** Marks left-out text: neither a separator nor part of a secret. */
export const gap = 0xfffd;

/** Collects decoded characters with their places. */
export class Decoded {
  readonly #codes: Uint16Array;
  readonly #at: Uint32Array;
  readonly #end: Uint32Array;
  #length = 0;
  /** Bytes that are not yet characters, with their places. */
  #bytes: (readonly [value: number, at: number, end: number])[] = [];

  constructor(most: number) {
    this.#codes = new Uint16Array(most);
    this.#at = new Uint32Array(most);
    this.#end = new Uint32Array(most);
  }

  add(code: number, at: number, end: number): void {
    if (this.#bytes.length > 0) this.#flush();
    this.#push(code, at, end);
  }

  addText(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.add(text.charCodeAt(at), at, at + 1);
  }

  addByte(value: number, at: number, end: number): void {
    if (value < 0x80) this.add(value, at, end);
    else if (this.#bytes.push([value, at, end]) >= mostBytes) this.#flush(longestCharacter - 1);
  }

  toDecoding(): Decoding {
    this.#flush();
    const codes = this.#codes.subarray(0, this.#length);
    return { text: toText(codes), at: this.#at.subarray(0, this.#length), end: this.#end.subarray(0, this.#length) };
  }

  #push(code: number, at: number, end: number): void {
    this.#codes[this.#length] = code;
    this.#at[this.#length] = at;
    this.#end[this.#length] = end;
    this.#length += 1;
  }

  /** Reads the bytes as UTF-8; those that are not become characters of Latin-1. Leaves the last bytes, which a character may need. */
  #flush(left = 0): void {
    const bytes = this.#bytes;
    let index = 0;
    while (index < bytes.length - left) {
      const [first = 0, firstAt = 0, firstEnd = 0] = bytes[index] ?? [];
      const length = first >= 0xf0 ? longestCharacter : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
      if (length === 1) {
        this.#push(first, firstAt, firstEnd);
        index += 1;
        continue;
      }
      const part = bytes.slice(index, index + length);
      const isWhole = part.length === length && part.slice(1).every(([value]) => (value & 0xc0) === 0x80);
      const used = isWhole ? length : 1;
      const [, at = 0] = part[0] ?? [];
      const [, , end = 0] = part[used - 1] ?? [];
      const point =
        used === 1 ? first : part.slice(1).reduce((sum, [value]) => sum * 64 + (value & 0x3f), first & (0x7f >> length));
      const letter = String.fromCodePoint(Math.min(point, 0x10_ffff));
      for (let half = 0; half < letter.length; half += 1) this.#push(letter.charCodeAt(half), at, end);
      index += used;
    }
    this.#bytes = bytes.slice(index);
  }
}
