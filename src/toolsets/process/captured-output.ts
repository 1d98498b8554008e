import { readSync, writeSync, closeSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** Bytes kept in memory of the beginning, and as many of the end. */
const keptBytes = 64 * 1024;

/** Longest word that is never cut, in bytes. */
const longestWord = 512;

/** File for output that does not fit into memory. */
export interface SpillFile {
  /** Name of the file for readers of the output. */
  readonly name: string;
  readonly descriptor: number;
}

/** Part of an output, by byte positions. */
export interface OutputPart {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Bytes written so far, whether kept or not. */
  readonly bytes: number;
}

/**
 * Output of one stream of a process: its beginning and end in memory, all of it in a file once it is long.
 *
 * 1. `bytes` counts every byte received, whether kept or not.
 * 2. Memory is bounded, however long the output is.
 */
export class CapturedOutput {
  readonly #openSpill: () => SpillFile | undefined;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #spill: SpillFile | undefined;
  #spilled = false;
  #bytes = 0;

  /** `openSpill` is called at most once, when the output outgrows memory; it returns undefined when no file can be created. */
  constructor(openSpill: () => SpillFile | undefined = () => undefined) {
    this.#openSpill = openSpill;
  }

  /** Bytes received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Name of the file with the whole output, when it was too long for memory. */
  get file(): string | undefined {
    return this.#spill?.name;
  }

  /** Appends bytes. */
  add(chunk: Buffer): void {
    if (!this.#spilled && this.#bytes + chunk.length > keptBytes) {
      this.#spilled = true;
      this.#spill = this.#openSpill();
      if (this.#spill !== undefined) writeAll(this.#spill.descriptor, this.#head);
    }
    if (this.#spill !== undefined) writeAll(this.#spill.descriptor, chunk);
    const room = keptBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-keptBytes)]).subarray(-keptBytes);
    this.#bytes += chunk.length;
  }

  /** Returns about `max` bytes as text: the beginning and the end, and between them the size and the place of the rest. */
  view(max: number): string {
    if (this.#bytes <= Math.min(max, keptBytes)) return toText(this.#head);
    const headBytes = wholeWords(this.#head, wholeCharacters(this.#head, Math.min(keptBytes, Math.ceil(max * 0.6))));
    const head = this.#head.subarray(0, headBytes);
    const rest = fromWholeCharacter(this.#tail.subarray(-Math.min(keptBytes, Math.floor(max * 0.4), this.#bytes - headBytes)));
    const tail = headBytes + rest.length < this.#bytes ? fromWholeWord(rest) : rest;
    const left = this.#bytes - head.length - tail.length;
    const where = this.#spill === undefined ? 'it was not kept' : `all of it is in ${this.#spill.name}`;
    return `${toText(head)}\n… [${left} of ${this.#bytes} bytes left out; ${where}] …\n${toText(tail)}`;
  }

  /** Returns at most `max` bytes from `from` on, as far as they were kept. */
  read(from: number, max: number): OutputPart {
    const start = Math.min(Math.max(0, from), this.#bytes);
    const end = Math.min(start + max, this.#bytes);
    const found = this.#slice(start, end);
    // A character may be half written; the next read returns it whole.
    const kept = found.subarray(0, wholeCharacters(found, found.length));
    const used = kept.length === 0 ? found : kept;
    return { text: toText(used), from: start, to: start + used.length, bytes: this.#bytes };
  }

  /** Closes the file. Afterwards nothing can be added; the bytes in memory can still be read. */
  close(): void {
    if (this.#spill === undefined) return;
    const { descriptor, name } = this.#spill;
    this.#spill = { name, descriptor: -1 };
    if (descriptor >= 0) closeSync(descriptor);
  }

  #slice(start: number, end: number): Buffer {
    if (end <= this.#head.length) return this.#head.subarray(start, end);
    const tailStart = this.#bytes - this.#tail.length;
    if (start >= tailStart) return this.#tail.subarray(start - tailStart, end - tailStart);
    if (this.#spill === undefined || this.#spill.descriptor < 0)
      return Buffer.from(this.file === undefined ? '(these bytes were not kept)' : `(these bytes are in ${this.file})`);
    const buffer = Buffer.alloc(end - start);
    return buffer.subarray(0, readSync(this.#spill.descriptor, buffer, 0, buffer.length, start));
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/** Converts bytes to text that a model can read: no escape sequences, no NUL, no broken characters. */
function toText(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\0', '�');
}

/** Returns how many of the first `length` bytes form whole characters. */
function wholeCharacters(bytes: Buffer, length: number): number {
  if (length >= bytes.length && !isCut(bytes)) return bytes.length;
  let end = Math.min(length, bytes.length);
  for (let back = 0; back < 4 && end > 0 && isContinuation(bytes[end]); back += 1) end -= 1;
  return isCut(bytes.subarray(0, end)) ? lastLead(bytes, end) : end;
}

/** True when the last character of these bytes is incomplete. */
function isCut(bytes: Buffer): boolean {
  const lead = lastLead(bytes, bytes.length);
  const first = bytes[lead];
  if (first === undefined || first < 0xc0) return false;
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return bytes.length - lead < needed;
}

function lastLead(bytes: Buffer, end: number): number {
  let at = end - 1;
  for (let back = 0; back < 3 && at > 0 && isContinuation(bytes[at]); back += 1) at -= 1;
  return Math.max(0, at);
}

/** Shortens a length to the last whole word, unless that word is very long: half a secret would not be recognised as a secret. */
function wholeWords(bytes: Buffer, length: number): number {
  if (length >= bytes.length) return length;
  for (let end = length; end > Math.max(0, length - longestWord); end -= 1) if (isSpace(bytes[end - 1])) return end;
  return length;
}

/** Removes a word that is cut at the beginning of these bytes. */
function fromWholeWord(bytes: Buffer): Buffer {
  for (let start = 0; start < Math.min(bytes.length, longestWord); start += 1)
    if (isSpace(bytes[start])) return bytes.subarray(start);
  return bytes;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}

function fromWholeCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 4 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
