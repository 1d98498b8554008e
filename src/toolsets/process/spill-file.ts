import { constants, closeSync, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { SpillFile } from './captured-output.ts';

/** Folder of a workspace for long output. */
export const spillFolder = 'command-output';

/**
 * Creates a file for long output in the workspace, whatever a command has put there: does not follow links or write to existing files.
 * Returns undefined when no such file can be created.
 */
export function createSpillFile(workspace: string, name: string): SpillFile | undefined {
  const folder = path.join(workspace, spillFolder);
  const file = path.join(folder, name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (lstatSync(folder).isSymbolicLink()) return undefined;
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
    const descriptor = openSync(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    if (isWhereItShouldBe(descriptor, workspace, name)) return { name: `${spillFolder}/${name}`, descriptor };
    closeSync(descriptor);
    unlinkSync(file);
    return undefined;
  } catch {
    // The output says that it was not kept; the command still runs.
    return undefined;
  }
}

/** True when the opened file lies in the folder: a command may have swapped the folder for a link after the check. */
function isWhereItShouldBe(descriptor: number, workspace: string, name: string): boolean {
  if (process.platform !== 'linux') return true;
  return readlinkSync(`/proc/self/fd/${descriptor}`) === path.join(realpathSync(workspace), spillFolder, name);
}
