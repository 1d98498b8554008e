import { readSync, writeSync, closeSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** Bytes of the beginning, and of the end, that are kept in memory. */
const keptBytes = 64 * 1024;

/** A longer word is cut where it must be, in bytes. */
const longestWord = 512;

/** A file that takes what does not fit into memory. */
export interface SpillFile {
  /** How the file is named to whoever reads the output. */
  readonly name: string;
  readonly descriptor: number;
}

/** A stretch of an output, by bytes. */
export interface OutputPart {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Bytes written so far, whether kept or not. */
  readonly bytes: number;
}

/**
 * One stream of a process: its beginning and end in memory, all of it in a file once it is long.
 *
 * 1. `bytes` counts every byte that came, whatever became of it.
 * 2. Memory is bounded, however much comes.
 */
export class CapturedOutput {
  readonly #openSpill: () => SpillFile | undefined;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #spill: SpillFile | undefined;
  #spilled = false;
  #bytes = 0;

  /** `openSpill` is called at most once, when the output outgrows memory; undefined when there is nowhere to keep it. */
  constructor(openSpill: () => SpillFile | undefined = () => undefined) {
    this.#openSpill = openSpill;
  }

  /** Bytes that came so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The file that has all of it, when it was too long for memory. */
  get file(): string | undefined {
    return this.#spill?.name;
  }

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

  /** At most about `max` bytes as text: the beginning and the end, and between them how much was left out and where it is. */
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

  /** The bytes from `from` on, at most `max`, as far as they were kept. */
  read(from: number, max: number): OutputPart {
    const start = Math.min(Math.max(0, from), this.#bytes);
    const end = Math.min(start + max, this.#bytes);
    const found = this.#slice(start, end);
    // A character may still be half written; it is told whole the next time.
    const kept = found.subarray(0, wholeCharacters(found, found.length));
    const used = kept.length === 0 ? found : kept;
    return { text: toText(used), from: start, to: start + used.length, bytes: this.#bytes };
  }

  /** Lets go of the file; nothing can be added afterwards, and what is in memory can still be read. */
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

/** Bytes as text a model can read: no escape sequences, no NUL, no broken characters. */
function toText(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\0', '�');
}

/** How many of the first `length` bytes make up whole characters. */
function wholeCharacters(bytes: Buffer, length: number): number {
  if (length >= bytes.length && !isCut(bytes)) return bytes.length;
  let end = Math.min(length, bytes.length);
  for (let back = 0; back < 4 && end > 0 && isContinuation(bytes[end]); back += 1) end -= 1;
  return isCut(bytes.subarray(0, end)) ? lastLead(bytes, end) : end;
}

/** Whether the last character of these bytes is not complete. */
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

/** The length without a word that is cut, unless it is a very long one: half a secret is not recognised as one. */
function wholeWords(bytes: Buffer, length: number): number {
  if (length >= bytes.length) return length;
  for (let end = length; end > Math.max(0, length - longestWord); end -= 1) if (isSpace(bytes[end - 1])) return end;
  return length;
}

/** The bytes after a word that is cut at their beginning. */
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
