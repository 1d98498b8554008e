import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../files/error-code.ts';

/** An index that is kept: its file, and the SHA-256 of its bytes. */
export interface KeptIndex {
  readonly path: string;
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
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens a folder, creating it; undefined when it cannot be used. Removes what killed processes left in it. */
  static async open(folder: string): Promise<CacheFolder | undefined> {
    try {
      await makeFolder(path.dirname(folder));
      await makeFolder(folder);
      if (!(await isPrivate(folder))) return undefined;
      const opened = new CacheFolder(path.resolve(folder));
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
      await utimes(newest.path, time, time);
      return newest;
    } catch (error) {
      return unlessOfSystem(error);
    }
  }

  /** Removes the indexes of a key. */
  async remove(key: string): Promise<void> {
    try {
      for (const kept of await this.#kept()) if (kept.key === key) await rm(kept.path, { force: true });
    } catch (error) {
      unlessOfSystem(error);
    }
  }

  /** Returns a new path for a file that is being written. */
  partPath(key: string): string {
    const id = crypto.randomUUID();
    return path.join(this.#folder, `${key}.${process.pid}.${id}.part`);
  }

  keptPath(key: string, hash: string): string {
    return path.join(this.#folder, `${key}-${hash}.db`);
  }

  /** Removes all but the newest index of each key, and the oldest ones beyond the limits. */
  async prune(): Promise<void> {
    const keys = new Set<string>();
    let bytes = 0;
    for (const kept of await this.#kept()) {
      // Of two processes that each keep one, both agree which of them stays.
      const stays = !keys.has(kept.key) && keys.size < maxKept && bytes + kept.bytes <= maxKeptBytes;
      if (!stays) await rm(kept.path, { force: true });
      else {
        keys.add(kept.key);
        bytes += kept.bytes;
      }
    }
  }

  async #kept(): Promise<readonly (KeptIndex & { readonly key: string; readonly bytes: number })[]> {
    const found = await Promise.all(
      (await readdir(this.#folder)).map(async (name) => {
        const [, key, hash] = keptName.exec(name) ?? [];
        const file = path.join(this.#folder, name);
        const stats = key === undefined || hash === undefined ? undefined : await statsOf(file);
        if (key === undefined || hash === undefined || stats?.isFile() !== true) return [];
        return [{ key, hash, path: file, bytes: stats.size, usedAt: stats.mtimeMs }];
      }),
    );
    return found.flat().toSorted((left, right) => right.usedAt - left.usedAt || (left.path < right.path ? -1 : 1));
  }

  async #sweep(): Promise<void> {
    const now = Date.now();
    for (const name of await readdir(this.#folder)) {
      const pid = partName.exec(name)?.[1];
      if (pid === undefined) continue;
      const file = path.join(this.#folder, name);
      const age = now - ((await statsOf(file))?.mtimeMs ?? now);
      if (age > longMs || (age > soonMs && !isAlive(Number(pid)))) await rm(file, { force: true });
    }
  }
}

/** Returns undefined for an error of the system, such as a full disk; rethrows any other. */
export function unlessOfSystem(error: unknown): undefined {
  if (error instanceof Error && 'syscall' in error) return undefined;
  throw error;
}

/** Creates a folder. Not `recursive`: Node would try for ever in folders of the system. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  // Systems without user ids protect a user's folders themselves.
  const user = process.getuid?.();
  return found.isDirectory() && (user === undefined || (found.uid === user && (found.mode & 0o022) === 0));
}

/** Returns what is known of a file; undefined when another process has removed it. */
async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    return unlessOfSystem(error);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
