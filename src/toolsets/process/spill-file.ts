import { constants, closeSync, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { SpillFile } from './captured-output.ts';

/** The folder of a workspace that long output goes to. */
export const spillFolder = 'command-output';

/**
 * Makes a file for long output in the workspace, whatever a command has put there: links are not followed, and files that
 * are there are not written to. Undefined when no such file can be made.
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
    // The output says that it was not kept; the command itself is none the worse for it.
    return undefined;
  }
}

/** A command may have put a link in the folder's place after it was looked at; what was opened tells. */
function isWhereItShouldBe(descriptor: number, workspace: string, name: string): boolean {
  if (process.platform !== 'linux') return true;
  return readlinkSync(`/proc/self/fd/${descriptor}`) === path.join(realpathSync(workspace), spillFolder, name);
}
