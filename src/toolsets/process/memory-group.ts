import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Control group of the kernel that limits the memory of all processes in it. */
export interface MemoryGroup {
  /** File that a process writes its id to, to join the group. */
  readonly joinFile: string;
  /** Puts a process into the group, unless the kernel does not allow it, or it is over already: `holds` tells. */
  add(pid: number): void;
  /** True when a process is in the group. */
  holds(pid: number): boolean;
  /** Returns how many processes the kernel killed because the group ran out of memory. */
  kills(): number;
  /** Removes the group; no process may run in it. */
  remove(): void;
}

const prefix = 'cadre-';
// Not state of a run: names for groups of processes.
let count = 0;

/**
 * Creates a control group with a limit on memory, swap included: cgroup version 2, or version 1 where that controls memory. Returns
 * undefined where this process cannot create one.
 */
export function createMemoryGroup(bytes: number): MemoryGroup | undefined {
  const parent = process.platform === 'linux' ? (parentOfVersion2() ?? parentOfVersion1()) : undefined;
  if (parent === undefined) return undefined;
  removeLeftOvers(parent.folder);
  count += 1;
  const folder = path.join(parent.folder, `${prefix}${process.pid}-${count}`);
  const remove = (): void => {
    try {
      rmdirSync(folder);
    } catch {
      // A process in it has not quite ended: the next group that is created removes this one.
    }
  };
  try {
    mkdirSync(folder);
    parent.bound(folder, bytes);
    const joinFile = path.join(folder, 'cgroup.procs');
    return {
      joinFile,
      add: (pid) => add(pid, joinFile),
      holds: (pid) => read(joinFile).split('\n').includes(String(pid)),
      kills: () => killsIn(path.join(folder, parent.eventsFile)),
      remove,
    };
  } catch {
    remove();
    return undefined;
  }
}

interface Parent {
  readonly folder: string;
  readonly eventsFile: string;
  readonly bound: (folder: string, bytes: number) => void;
}

/** Returns the nearest group at or above this process that controls the memory of its subgroups, and where this process may create some. */
function parentOfVersion2(): Parent | undefined {
  const mounted = mountOf((type) => type === 'cgroup2');
  const own = ownGroup('');
  if (mounted === undefined || own === undefined) return undefined;
  for (let folder = path.join(mounted, own); folder.startsWith(mounted); folder = path.dirname(folder))
    if (/\bmemory\b/.test(read(path.join(folder, 'cgroup.subtree_control'))) && isWritable(folder))
      return { folder, eventsFile: 'memory.events', bound: boundVersion2 };
  return undefined;
}

function boundVersion2(folder: string, bytes: number): void {
  writeFileSync(path.join(folder, 'memory.max'), String(bytes));
  for (const [file, value] of [['memory.swap.max', '0'] as const, ['memory.oom.group', '1'] as const])
    if (existsSync(path.join(folder, file))) writeFileSync(path.join(folder, file), value);
}

function parentOfVersion1(): Parent | undefined {
  const mounted = mountOf((type, options) => type === 'cgroup' && options.split(',').includes('memory'));
  const own = ownGroup('memory');
  if (mounted === undefined || own === undefined) return undefined;
  const folder = [path.join(mounted, own), mounted].find((place) => existsSync(place) && isWritable(place));
  return folder === undefined ? undefined : { folder, eventsFile: 'memory.oom_control', bound: boundVersion1 };
}

function boundVersion1(folder: string, bytes: number): void {
  writeFileSync(path.join(folder, 'memory.limit_in_bytes'), String(bytes));
  const withSwap = path.join(folder, 'memory.memsw.limit_in_bytes');
  if (existsSync(withSwap)) writeFileSync(withSwap, String(bytes));
}

function mountOf(isIt: (type: string, options: string) => boolean): string | undefined {
  for (const line of read('/proc/self/mountinfo').split('\n')) {
    const fields = line.split(' ');
    const dash = fields.indexOf('-');
    if (isIt(fields[dash + 1] ?? '', fields[dash + 3] ?? '')) return fields[4];
  }
  return undefined;
}

/** Returns the group of this process in the hierarchy with this controller. */
function ownGroup(controller: string): string | undefined {
  for (const line of read('/proc/self/cgroup').split('\n')) {
    const [, controllers = '', ...place] = line.split(':');
    if (place.length > 0 && (controller === controllers || controllers.split(',').includes(controller))) return place.join(':');
  }
  return undefined;
}

/** Removes groups left behind by killed processes; a group with running processes cannot be removed. */
function removeLeftOvers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^cadre-(\d+)-\d+$/.exec(name)?.[1];
    if (pid === undefined || Number(pid) === process.pid || existsSync(`/proc/${pid}`)) continue;
    try {
      rmdirSync(path.join(folder, name));
    } catch {
      // Something still runs in it.
    }
  }
}

function add(pid: number, joinFile: string): void {
  try {
    writeFileSync(joinFile, String(pid));
  } catch {
    // It stays outside, where it is measured.
  }
}

function killsIn(file: string): number {
  return Number(/^oom_kill (\d+)/m.exec(read(file))?.[1] ?? 0);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    accessSync(path.join(folder, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
