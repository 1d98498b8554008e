import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { errorCode } from './error-code.ts';
import { refusePath, toInsidePath } from './inside-path.ts';
import { refuseSystemFolder } from './open-folder.ts';

/** Requested path that lies inside a folder, and the kind of file found there. */
export interface InsidePath {
  /** Real path of the folder. */
  readonly root: string;
  /** Relative to the folder, with `/` between the parts; empty for the folder itself. */
  readonly path: string;
  /** Real path of the requested file; a missing file would be created there. */
  readonly absolute: string;
  readonly found: 'file' | 'folder' | 'other' | 'missing';
}

/**
 * Resolves a requested path to a file or folder below `root`, and refuses everything that would lead out of it: `..`
 * (plain or percent-encoded), `~`, NUL, other absolute paths, symbolic links anywhere on the way, /proc, /dev and /sys.
 * Absolute paths that lie inside count as relative ones. `what` names the folder in messages, like "the workspace".
 *
 * The disk can change after the answer, so read and write through `useInside` and `writeInside`, which hold the folders open.
 * The answer alone suffices to name a folder to a process that is jailed by other means.
 *
 * @throws CadreError `PATH_REFUSED`
 */
export async function resolveInside(root: string, requested: string, what: string): Promise<InsidePath> {
  const realRoot = await realpath(root);
  const path = toRelative([root, realRoot], requested, what);
  const absolute = path === '' ? realRoot : join(realRoot, ...path.split('/'));
  refuseSystemFolder(absolute, { requested, what });
  const { existing, real } = await deepestExisting(absolute, requested, what);
  const way = relative(realRoot, real);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw refusePath(requested, 'a symbolic link leads out of the folder', what);
  if (existing !== real) throw refusePath(requested, 'a symbolic link is on the way to it', what);
  return { root: realRoot, path, absolute, found: existing === absolute ? await kindOf(absolute) : 'missing' };
}

/** Returns the clean relative path of a request; an absolute path must begin with one of these roots. */
export function toRelative(roots: readonly string[], requested: string, what: string): string {
  if (requested === '.' || requested === './' || roots.includes(requested.replace(/(?<!\/)\/+$/, ''))) return '';
  const root = roots.find((candidate) => requested.startsWith(`${candidate}/`));
  return toInsidePath(root === undefined ? requested : requested.slice(root.length + 1), what);
}

/** Returns the deepest existing ancestor of a path (or the path itself), and its real path. A dangling link exists, and is refused. */
async function deepestExisting(
  absolute: string,
  requested: string,
  what: string,
): Promise<{ readonly existing: string; readonly real: string }> {
  for (let path = absolute; ; path = dirname(path)) {
    try {
      return { existing: path, real: await realpath(path) };
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ELOOP') throw refusePath(requested, 'a symbolic link on the way to it leads to itself', what);
      if (code === 'ENAMETOOLONG') throw refusePath(requested, 'a name in it is too long', what);
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || path === dirname(path)) throw error;
      if (await isLink(path)) throw refusePath(requested, 'a symbolic link on the way to it leads nowhere', what);
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

async function kindOf(path: string): Promise<InsidePath['found']> {
  const found = await lstat(path);
  if (found.isFile()) return 'file';
  return found.isDirectory() ? 'folder' : 'other';
}
