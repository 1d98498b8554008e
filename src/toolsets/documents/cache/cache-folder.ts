import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { CadreError } from '../../../core/error.ts';
import { EngineFolder } from '../../../files/engine-folder.ts';
import { errorCode } from '../../../files/error-code.ts';

/** An index that is kept: the name of its file, and the SHA-256 of its bytes. */
export interface KeptIndex {
  readonly name: string;
  readonly hash: string;
}

/** Most indexes in a folder. */
const maxKept = 8;
/** Most bytes of all indexes in a folder, and so of one. */
export const maxKeptBytes = 1_000_000_000;
const keptName = /^([0-9a-f]{32})-([0-9a-f]{64})\.db$/;
const partName = /^[0-9a-f]{32}\.(\d{1,10})\.[\w-]{1,40}\.part$/;
const usedBeforeMs = 1_000;
/** Milliseconds after which a part is litter, when the process of its name is gone, and whatever its process does. */
const soonMs = 10_000;
const longMs = 3_600_000;

/**
 * The folder that holds indexes between processes, as `KEY-SHA256.db`.
 *
 * 1. A file has its final name only once all of it is written, and never changes after that.
 * 2. Only files named like ours are removed.
 * 3. The folder is used only when it is no link, and only this user can write into it.
 */
export class CacheFolder {
  readonly #folder: EngineFolder;

  private constructor(folder: EngineFolder) {
    this.#folder = folder;
  }

  /** Opens a folder, creating it; undefined when it cannot be used. Removes what killed processes left in it. */
  static async open(folder: string): Promise<CacheFolder | undefined> {
    try {
      const used = new EngineFolder(path.dirname(path.resolve(folder)), [path.basename(folder)]);
      await used.make();
      if (!(await used.isPrivate())) return undefined;
      const opened = new CacheFolder(used);
      await opened.#sweep();
      return opened;
    } catch (error) {
      return unlessOfSystem(error);
    }
  }

  /** Returns the newest index of a key; undefined when there is none. Marks it as used. */
  async find(key: string): Promise<KeptIndex | undefined> {
    try {
      const newest = (await this.#kept()).find((kept) => kept.key === key);
      if (newest === undefined) return undefined;
      // A little ago, so that one that is kept from now on is surely newer, whatever the resolution of times.
      const time = new Date(Date.now() - usedBeforeMs);
      await this.#folder.touch(newest.name, time);
      return newest;
    } catch (error) {
      return unlessOfSystem(error);
    }
  }

  /** Removes the indexes of a key. */
  async remove(key: string): Promise<void> {
    try {
      for (const kept of await this.#kept()) if (kept.key === key) await this.#folder.remove(kept.name);
    } catch (error) {
      unlessOfSystem(error);
    }
  }

  /** Returns a new name for a file that is being written. */
  partName(key: string): string {
    return `${key}.${process.pid}.${crypto.randomUUID()}.part`;
  }

  /** Returns the path of a file, for SQLite; everything else goes through the folder. */
  pathOf(name: string): string {
    return path.join(this.#folder.path, name);
  }

  /** Opens a new file; fails when something of that name is there. */
  async create(name: string): Promise<FileHandle> {
    return await this.#folder.create(name);
  }

  /** Opens a file for reading. */
  async open(name: string): Promise<FileHandle> {
    return await this.#folder.open(name);
  }

  /** Returns the inode of a file; undefined when it is gone. */
  async inodeOf(name: string): Promise<number | undefined> {
    return (await this.#folder.stat(name))?.ino;
  }

  /** Removes a file. */
  async discard(name: string): Promise<void> {
    await this.#folder.remove(name);
  }

  /** Gives a file that is written the final name of its hash. */
  async keep(part: string, key: string, hash: string): Promise<void> {
    await this.#folder.rename(part, `${key}-${hash}.db`);
  }

  /** Removes all but the newest index of each key, and the oldest ones beyond the limits. */
  async prune(): Promise<void> {
    const keys = new Set<string>();
    let bytes = 0;
    for (const kept of await this.#kept()) {
      // Of two processes that each keep one, both agree which of them stays.
      const stays = !keys.has(kept.key) && keys.size < maxKept && bytes + kept.bytes <= maxKeptBytes;
      if (!stays) await this.#folder.remove(kept.name);
      else {
        keys.add(kept.key);
        bytes += kept.bytes;
      }
    }
  }

  async #kept(): Promise<readonly (KeptIndex & { readonly key: string; readonly bytes: number })[]> {
    const found = await Promise.all(
      this.#folder.names().map(async (name) => {
        const [, key, hash] = keptName.exec(name) ?? [];
        const stats = key === undefined || hash === undefined ? undefined : await this.#folder.stat(name);
        if (key === undefined || hash === undefined || stats?.isFile() !== true) return [];
        return [{ key, hash, name, bytes: stats.size, usedAt: stats.mtimeMs }];
      }),
    );
    return found.flat().toSorted((left, right) => right.usedAt - left.usedAt || (left.name < right.name ? -1 : 1));
  }

  async #sweep(): Promise<void> {
    const now = Date.now();
    for (const name of this.#folder.names()) {
      const pid = partName.exec(name)?.[1];
      if (pid === undefined) continue;
      const age = now - ((await this.#folder.stat(name))?.mtimeMs ?? now);
      if (age > longMs || (age > soonMs && !isAlive(Number(pid)))) await this.#folder.remove(name);
    }
  }
}

/** Returns undefined for an error of the system, such as a full disk, and for a link that is refused; rethrows any other. */
export function unlessOfSystem(error: unknown): undefined {
  if (error instanceof Error && 'syscall' in error) return undefined;
  if (error instanceof CadreError && (error.code === 'STORE_FAILED' || error.code === 'PATH_REFUSED')) return undefined;
  throw error;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
