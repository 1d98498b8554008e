import { chmodSync, closeSync, constants, existsSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { withOpenFolderSync, type FolderRequest } from './open-folder.ts';

// A descriptor that names a place without the right to read it (`O_PATH` of Linux, which Node does not list).
const onlyPath = 0o10000000;
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Gives the owner of a folder permission to enter and list it, never that of another one behind a link that is swapped in meanwhile.
 * Returns false when that fails.
 */
export function openUpFolder(request: Omit<FolderRequest, 'create'>): boolean {
  const name = request.parts.at(-1);
  try {
    if (name === undefined) return false;
    return withOpenFolderSync({ ...request, parts: request.parts.slice(0, -1) }, (above) => {
      const place = above.at(name);
      if (!hasDescriptorPaths) {
        const found = lstatSync(place);
        if (found.isDirectory()) chmodSync(place, opened(found.mode));
        return found.isDirectory();
      }
      const descriptor = openSync(place, onlyPath | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      try {
        chmodSync(`/proc/self/fd/${descriptor}`, opened(fstatSync(descriptor).mode));
        return true;
      } finally {
        closeSync(descriptor);
      }
    });
  } catch {
    return false;
  }
}

function opened(mode: number): number {
  return (mode & 0o7777) | 0o700;
}
