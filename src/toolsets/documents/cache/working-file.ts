import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { type CacheFolder, type KeptIndex, maxKeptBytes, unlessOfSystem } from './cache-folder.ts';

/** Bytes that are copied at a time; hashing them takes about two milliseconds. */
const pieceBytes = 1_000_000;

// Private, so without locks; nothing has to survive a crash. Tables that a forged file brings along can do nothing.
const pragmas = `
  PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;
  PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000;
`;

/** Where an index is kept. */
export interface KeptPlace {
  readonly folder: CacheFolder;
  readonly key: string;
}

/**
 * The database of an index in a file that only this process has: a copy of a kept one, or a new one. Where the system allows it, the file
 * has no name once it is open, so that a killed process leaves nothing behind.
 */
export class WorkingFile {
  readonly database: DatabaseSync;
  readonly #handle: FileHandle;
  /** Removes its name, where an open file keeps it. */
  readonly #forget: () => Promise<void>;

  private constructor(database: DatabaseSync, handle: FileHandle, forget: () => Promise<void>) {
    this.database = database;
    this.#handle = handle;
    this.#forget = forget;
  }

  /**
   * Opens a new database, or a copy of a kept one; undefined when the kept one is damaged, and when the folder cannot be written.
   *
   * @throws the reason of the signal on abort
   */
  static async open({ folder, key }: KeptPlace, kept?: KeptIndex, signal?: AbortSignal): Promise<WorkingFile | undefined> {
    const name = folder.partName(key);
    let handle: FileHandle | undefined;
    try {
      handle = await folder.create(name);
      if (kept !== undefined && (await fill(handle, { folder, kept, signal })) !== kept.hash) {
        await folder.discard(kept.name);
        return await discard(folder, name, handle);
      }
      const database = await openNamed(folder.pathOf(name));
      const [opened, named] = await Promise.all([handle.stat(), folder.inodeOf(name)]);
      if (opened.ino !== named) {
        // Removed or exchanged meanwhile: the database would be another file.
        database?.close();
        return await discard(folder, name, handle);
      }
      if (database === undefined) return await discard(folder, name, handle);
      return new WorkingFile(database, handle, await unlinkOpen(folder, name));
    } catch (error) {
      if (handle !== undefined) await discard(folder, name, handle);
      return unlessOfSystem(error);
    }
  }

  /**
   * Writes the database, as it is between two transactions, into a file and gives that the name of its hash. False when it was not
   * written: the folder cannot be written, the database is too large, or `isUnchanged` says that it was written to meanwhile.
   */
  async keep({ folder, key }: KeptPlace, { isUnchanged, signal }: KeepOptions): Promise<boolean> {
    const name = folder.partName(key);
    let out: FileHandle | undefined;
    try {
      if ((await this.#handle.stat()).size > maxKeptBytes) return false;
      out = await folder.create(name);
      const hash = await copy(this.#handle, out, signal);
      await out.close();
      out = undefined;
      if (!isUnchanged()) return false;
      await folder.keep(name, key, hash);
      await folder.prune();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      return unlessOfSystem(error) ?? false;
    } finally {
      await out?.close();
      await folder.discard(name).catch(unlessOfSystem);
    }
  }

  async close(): Promise<void> {
    this.database.close();
    await this.#handle.close();
    await this.#forget();
  }
}

/** How to keep a database: `isUnchanged` holds as long as it was not written to. */
export interface KeepOptions {
  readonly isUnchanged: () => boolean;
  readonly signal: AbortSignal;
}

/** Copies a kept index into an open file; returns the hash of what was copied. */
async function fill(
  into: FileHandle,
  { folder, kept, signal }: { readonly folder: CacheFolder; readonly kept: KeptIndex; readonly signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const from = await folder.open(kept.name);
  try {
    const stats = await from.stat();
    return stats.isFile() && stats.size <= maxKeptBytes ? await copy(from, into, signal) : undefined;
  } finally {
    await from.close();
  }
}

/** Copies a file piece by piece; returns the SHA-256 of its bytes. */
async function copy(from: FileHandle, into: FileHandle, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(pieceBytes);
  for (let at = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return hash.digest('hex');
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    for (let written = 0; written < bytesRead;) {
      written += (await into.write(piece, written, bytesRead - written, at + written)).bytesWritten;
    }
    at += bytesRead;
  }
}

/** Opens a file as a database; undefined when it is none. */
async function openNamed(path: string): Promise<DatabaseSync | undefined> {
  const { openDatabase } = await import('../../../files/database-file.ts');
  const database = openDatabase(path, { defensive: true });
  try {
    database.exec(pragmas);
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    if (isDatabaseError(error)) return undefined;
    throw error;
  }
}

/** True for an error of SQLite: a damaged file, a full disk. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

async function discard(folder: CacheFolder, name: string, handle: FileHandle): Promise<undefined> {
  await handle.close();
  await folder.discard(name).catch(unlessOfSystem);
}

/** Removes the name of an open file; returns what removes it later, where the system keeps it. */
async function unlinkOpen(folder: CacheFolder, name: string): Promise<() => Promise<void>> {
  try {
    await folder.discard(name);
    return async () => undefined;
  } catch (error) {
    unlessOfSystem(error);
    return async () => await folder.discard(name).catch(unlessOfSystem);
  }
}
