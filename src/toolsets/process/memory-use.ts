import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';

/** Returns the available memory of the machine, in bytes; undefined where it is unknown. */
export function availableMemory(): number | undefined {
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(read('/proc/meminfo'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/**
 * Returns the memory that processes use together, in bytes: their private memory, and the files in memory disks (`tmpfs`) of mount
 * namespaces other than that of this process, such as those of a sandbox.
 */
export function memoryOf(pids: readonly number[]): number {
  let bytes = 0;
  const seen = new Set<string>();
  const own = link('/proc/self/ns/mnt');
  for (const pid of pids) {
    for (const [, kilobytes] of read(`/proc/${pid}/status`).matchAll(/^(?:RssAnon|VmSwap):\s+(\d+) kB/gm))
      bytes += Number(kilobytes) * 1024;
    const namespace = link(`/proc/${pid}/ns/mnt`);
    if (namespace === own || namespace === '' || seen.has(namespace)) continue;
    seen.add(namespace);
    bytes += temporaryDisks(pid, seen);
  }
  return bytes;
}

/** Returns the size of files in memory disks that a process sees and this process does not, in bytes. */
function temporaryDisks(pid: number, seen: Set<string>): number {
  let bytes = 0;
  for (const line of read(`/proc/${pid}/mountinfo`).split('\n')) {
    const fields = line.split(' ');
    const [, , device = '', , place = ''] = fields;
    if (fields[fields.indexOf('-') + 1] !== 'tmpfs' || seen.has(device) || ownDevices().has(device)) continue;
    seen.add(device);
    try {
      const { blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root${unescaped(place)}`);
      bytes += (blocks - bfree) * bsize;
    } catch {
      // Covered by another mount, or gone with its process.
    }
  }
  return bytes;
}

function ownDevices(): ReadonlySet<string> {
  return new Set(
    read('/proc/self/mountinfo')
      .split('\n')
      .map((line) => line.split(' ')[2] ?? ''),
  );
}

/** Decodes escapes in lists of mounts, such as `\\040` for a space. */
function unescaped(place: string): string {
  return place.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Returns the size of deleted files that these processes still hold open, in bytes. */
export function deletedFiles(pids: readonly number[]): number {
  let bytes = 0;
  const seen = new Set<string>();
  for (const pid of pids)
    for (const name of listed(`/proc/${pid}/fd`)) {
      const file = `/proc/${pid}/fd/${name}`;
      if (!link(file).endsWith(' (deleted)')) continue;
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats?.isFile() !== true || seen.has(`${stats.dev}:${stats.ino}`)) continue;
      seen.add(`${stats.dev}:${stats.ino}`);
      bytes += stats.blocks * 512;
    }
  return bytes;
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function link(place: string): string {
  try {
    return readlinkSync(place);
  } catch {
    return '';
  }
}

/** Reads a file; returns an empty text for a process that is gone or of another user, which does not count. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
