import { realpathSync } from 'node:fs';
import { createFileSync } from '../../files/open-file.ts';
import { withOpenFolderSync } from '../../files/open-folder.ts';
import type { SpillFile } from './captured-output.ts';

/** Folder of a workspace for long output. */
export const spillFolder = 'command-output';

/**
 * Creates a file for long output in the workspace, whatever a command has put there: does not follow links or write to existing files.
 * Returns undefined when no such file can be created.
 */
export function createSpillFile(workspace: string, name: string): SpillFile | undefined {
  const shown = `${spillFolder}/${name}`;
  try {
    const root = realpathSync(workspace);
    const request = { root, parts: [spillFolder], create: true, folderMode: 0o700, requested: shown, what: 'the workspace' };
    return { name: shown, descriptor: withOpenFolderSync(request, (folder) => createFileSync(folder, name)) };
  } catch {
    // The output says that it was not kept; the command still runs.
    return undefined;
  }
}
