import { CadreError } from '../../core/error.ts';
import { readInside } from '../../files/read-inside.ts';
import { resolveReadable, type ReadBounds } from '../workspace/workspace-files.ts';

/** Maximum size of a data file, in bytes. */
const maxBytes = 20_000_000;

/**
 * Reads a text file of the workspace.
 *
 * @throws CadreError `PATH_REFUSED` for paths outside the workspace and unreadable files; `TOOL_FAILED` for a file that is missing, too
 * large or not text
 */
export async function readDataFile(workspace: string, file: string, settings: ReadBounds): Promise<string> {
  const { root, path } = await resolveReadable(workspace, file, settings);
  const read = await readInside(root, path, maxBytes);
  if ('text' in read) return read.text;
  throw new CadreError(read.refused ? 'PATH_REFUSED' : 'TOOL_FAILED', `${file} cannot be read: ${read.reason}.`);
}
