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
