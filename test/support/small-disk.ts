import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Small separate file system that can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the space there is. */
  fill(): void;
  /** Gives the space back. */
  free(): void;
  remove(): void;
}

/** Reason why none can be created here; undefined where one can. */
export const whyNoSmallDisk = reason();

function reason(): string | undefined {
  try {
    makeSmallDisk(64).remove();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Mounts a disk of so many kilobytes, in memory. */
export function makeSmallDisk(kilobytes: number): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(`mount is not permitted: ${mounted.error?.message ?? mounted.stderr.trim()}`);
  }
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'a');
      try {
        for (let size = 65_536; size >= 1;) {
          try {
            writeSync(file, Buffer.alloc(size));
          } catch {
            size = Math.floor(size / 2);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
