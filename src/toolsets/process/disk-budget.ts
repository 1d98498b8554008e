import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ResourceScopes } from '../../core/tool/resource-scope.ts';

/** Maximum time the count of files holds the thread without a pause, in milliseconds. */
const sliceMs = 8;
/** Bytes a command may write although the run exceeded its limit before it began: a command that deletes files must be able to run. */
const slackBytes = 16 * 1024 * 1024;

/** Use of the disk by one command. */
export interface DiskUse {
  readonly places: readonly string[];
  /** Limit of the run, in bytes. */
  readonly limit: number;
  /** `shrunkBy` when the command began, in bytes. */
  readonly shrunkAtStart: number;
  /** Returns the size of deleted files that the command holds open, in bytes. */
  readonly openBytes: () => number;
}

/**
 * Budget of disk space for all programs of a run together.
 *
 * Free space on the disks is checked constantly, which costs nothing. Since other programs write to the same disks, the files written since
 * the start are counted only when free space has shrunk by more than the limit.
 */
export class DiskBudget {
  readonly #since = Date.now();
  readonly #left = new Map<string, number>();
  #counting: Promise<number> | undefined;
  /** Shrinkage that the last count, which stayed below the limit, attributed to other programs, in bytes. */
  #cleared = 0;

  /** Returns the budget of a run; it begins with the first program. */
  static of(live: ResourceScopes): Promise<DiskBudget> {
    return live.run.open('disk-budget', () => ({ value: new DiskBudget(), close: () => undefined }));
  }

  /** Returns how much free space at these places has shrunk since each was first checked, in bytes. */
  shrunkBy(places: readonly string[]): number {
    let bytes = 0;
    for (const place of places) {
      const left = roomAt(place);
      if (left === undefined) continue;
      const before = this.#left.get(place) ?? left;
      this.#left.set(place, before);
      // Places on one disk shrink alike: the most counts, not the sum.
      bytes = Math.max(bytes, before - left);
    }
    return bytes;
  }

  /** True when programs have written more than `limit` bytes into these places, and the command has a part in it. */
  async isExceeded({ places, limit, shrunkAtStart, openBytes }: DiskUse): Promise<boolean> {
    const shrunk = this.shrunkBy(places);
    if (shrunk <= limit + this.#cleared || shrunk <= shrunkAtStart + slackBytes) return false;
    this.#counting ??= writtenSince(places, this.#since).finally(() => {
      this.#counting = undefined;
    });
    const written = (await this.#counting) + openBytes();
    if (written > limit) return true;
    this.#cleared = shrunk - written;
    return false;
  }
}

/** Returns the size of files written since a moment, in bytes. */
async function writtenSince(places: readonly string[], since: number): Promise<number> {
  const folders = [...places];
  const seen = new Set<string>();
  let bytes = 0;
  let ends = performance.now() + sliceMs;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const place = path.join(folder, entry);
      const stats = lstatSync(place, { throwIfNoEntry: false });
      if (stats?.isDirectory() === true) folders.push(place);
      if (stats?.isFile() !== true || stats.ctimeMs < since) continue;
      const id = `${stats.dev}:${stats.ino}`;
      if (stats.nlink === 1 || !seen.has(id)) bytes += stats.blocks * 512;
      if (stats.nlink > 1) seen.add(id);
      if (performance.now() < ends) continue;
      await setImmediate();
      ends = performance.now() + sliceMs;
    }
  }
  return bytes;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A file, gone, or closed.
    return [];
  }
}

function roomAt(place: string): number | undefined {
  try {
    const { bfree, bsize } = statfsSync(place);
    return bfree * bsize;
  } catch {
    return undefined;
  }
}
