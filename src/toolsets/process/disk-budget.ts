import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ResourceScopes } from '../../core/tool/resource-scope.ts';

/** How long files are counted without letting other work through, in milliseconds. */
const sliceMs = 8;
/** A command that is over the limit from the beginning is ended only when it goes on writing: what deletes files must be let through. */
const slackBytes = 16 * 1024 * 1024;

/**
 * How much the programs of a run have written, all together.
 *
 * How much room is left on the disks is asked all the time, which costs nothing. Only when that has shrunk by more than the limit are files
 * counted that were written since, since others write to the same disks.
 */
export class DiskBudget {
  readonly #since = Date.now();
  readonly #left = new Map<string, number>();
  #looking: Promise<number> | undefined;
  /** By how much the disks had shrunk when files were last counted and were fewer. */
  #cleared = 0;

  /** The budget of a run; it begins with the first program. */
  static of(live: ResourceScopes): Promise<DiskBudget> {
    return live.run.open('disk-budget', () => ({ value: new DiskBudget(), close: () => undefined }));
  }

  /** By how much the room on the disks of these places has shrunk since each was first asked about, in bytes. */
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

  /**
   * Whether programs have written more than `limit` bytes into these places, and a command that began when the disks had shrunk by
   * `atStart` has a part in it. `open` says what deleted files take that are still open.
   */
  async isExceeded(places: readonly string[], limit: number, atStart: number, open: () => number): Promise<boolean> {
    const shrunk = this.shrunkBy(places);
    if (shrunk <= limit + this.#cleared || shrunk <= atStart + slackBytes) return false;
    this.#looking ??= writtenSince(places, this.#since).finally(() => {
      this.#looking = undefined;
    });
    const written = (await this.#looking) + open();
    if (written > limit) return true;
    this.#cleared = shrunk - written;
    return false;
  }
}

/** What files take that were written since a moment, in bytes. */
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
