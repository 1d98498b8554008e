import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that marks a process and everything it starts. */
export const markVariable = 'CADRE_COMMAND_MARK';

/** Whether marks can be looked up here: it takes a `/proc` as Linux has it. */
export const canFindMarks = process.platform === 'linux';

/**
 * The processes that bear a mark, also those that left their group and session. Not found are those that removed the mark
 * from their environment before they started a program, and on systems without `/proc` all of them.
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
 * Processes begun since a moment that cannot be told from marked ones: while a process becomes another program, its
 * environment reads as empty. One that was really given none stays among them.
 */
export function findUnclear(sinceTicks: number): readonly number[] {
  if (!canFindMarks) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => startTicks(pid) >= sinceTicks && isUnreadable(pid))
    .map(Number);
}

/** When a process began, in ticks since the machine did; before everything else when it is gone, or a zombie. */
export function startTicks(pid: number | string): number {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? -1 : Number(fields[19] ?? -1);
}

function isUnreadable(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).length === 0;
  } catch {
    // It is gone, or somebody else's.
    return false;
  }
}

/** How many processes there are on this machine; 0 where that cannot be told. */
export function countProcesses(): number {
  return canFindMarks ? readdirSync('/proc').length : 0;
}

/** The name of a process's program; empty when it is gone. */
export function programOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** A process that is gone, a zombie, or somebody else's cannot be read, and is none of ours. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
