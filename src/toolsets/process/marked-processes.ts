import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable that marks a process and everything it starts. */
export const markVariable = 'CADRE_COMMAND_MARK';

/** True where marks can be found: on Linux, through `/proc`. */
export const canFindMarks = process.platform === 'linux';

/**
 * Returns the processes with a mark, including those that left their group and session. Misses processes that removed the mark from their
 * environment before they started a program, and finds none on systems without `/proc`.
 */
export function findMarked(mark: string): readonly number[] {
  if (!canFindMarks) return [];
  const entry = `${markVariable}=${mark}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).includes(entry))
    .map(Number);
}

/**
 * Returns processes started since a moment that may be marked: while a process becomes another program, its environment reads as empty.
 * Includes processes whose environment really is empty.
 */
export function findUnclear(sinceTicks: number): readonly number[] {
  if (!canFindMarks) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => startTicks(pid) >= sinceTicks && isUnreadable(pid))
    .map(Number);
}

/** Returns when a process started, in ticks since the machine did; -1 when it is gone, or a zombie. */
export function startTicks(pid: number | string): number {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? -1 : Number(fields[19] ?? -1);
}

function isUnreadable(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).length === 0;
  } catch {
    // It is gone, or belongs to another user.
    return false;
  }
}

/** Returns the number of processes on this machine (plus a constant); 0 where it is unknown. */
export function countProcesses(): number {
  return canFindMarks ? readdirSync('/proc').length : 0;
}

/** Returns the name of the program of a process; empty when the process is gone. */
export function programOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** Returns the ids of a process and its descendants; empty where they are unknown. Misses processes whose parents have ended. */
export function findDescendants(root: number): readonly number[] {
  if (!canFindMarks) return [];
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program is in brackets and may contain anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It ended after it was listed.
    return undefined;
  }
}

/** Reads a file of `/proc`; returns an empty text for a process that is gone, a zombie, or of another user: it is not one of ours. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
