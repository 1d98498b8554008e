import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Sizes of SQLite's write-ahead log, in bytes (sqlite.org/fileformat2.html#the_write_ahead_log). */
const logHeader = 32;
const frameHeader = 24;

/**
 * Written length of a journal's write-ahead log, and the part that is certain to survive a power cut. The file never shrinks;
 * its valid part ends with the last frame that has the salts of the header.
 */
export class LogPosition {
  readonly #file: string;
  #descriptor: number | undefined;
  #salts = '';
  #pageSize = 0;
  #end = 0;
  #moved = 0n;
  /** Bytes of the log that are on the disk itself. */
  synced: number;

  /** `file` is the journal; its log lies beside it, and is on the disk up to `synced`. */
  constructor(file: string, synced: number) {
    this.#file = file;
    this.synced = synced;
    this.#moved = this.#movedAt();
  }

  /** The end of what was written, in bytes. SQLite has synced whatever it moved into the file. */
  look(): number {
    this.#descriptor ??= this.#open();
    if (this.#descriptor === undefined) return 0;
    const header = this.#read(0, logHeader);
    if (header === undefined) return 0;
    const salts = header.toString('hex', 16, 24);
    if (salts !== this.#salts) {
      // The log begins again at its beginning once all of it is in the file.
      if (this.#salts !== '') this.synced = 0;
      this.#salts = salts;
      this.#pageSize = header.readUInt32BE(8);
      this.#end = logHeader;
    }
    for (let frame = this.#frameAt(); frame !== undefined; frame = this.#frameAt()) this.#end = frame;
    const moved = this.#movedAt();
    if (moved !== this.#moved) this.synced = this.#end;
    this.#moved = moved;
    return this.#end;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** The end of the next frame, when there is one that belongs to this log. */
  #frameAt(): number | undefined {
    const header = this.#read(this.#end, frameHeader);
    if (header === undefined || header.toString('hex', 8, 16) !== this.#salts) return undefined;
    return this.#end + frameHeader + this.#pageSize;
  }

  #read(at: number, bytes: number): Buffer | undefined {
    const buffer = Buffer.alloc(bytes);
    return this.#descriptor !== undefined && readSync(this.#descriptor, buffer, 0, bytes, at) === bytes ? buffer : undefined;
  }

  #open(): number | undefined {
    try {
      return openSync(`${this.#file}-wal`, 'r');
    } catch {
      // Nothing was written yet.
      return undefined;
    }
  }

  /** Returns the time of the last checkpoint from the log into the file. */
  #movedAt(): bigint {
    return statSync(this.#file, { bigint: true }).mtimeNs;
  }
}
