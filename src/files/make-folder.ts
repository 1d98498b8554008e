import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../core/error.ts';
import { withOpenFolderSync } from './open-folder.ts';
import { showPlace } from './project-place.ts';

/**
 * Makes a folder that a program or a user named, and the folders on the way to it; returns its real path and how many were made. Follows
 * links on the way. What is made is made step by step in open folders, so that a link that is swapped in meanwhile
 * has no effect.
 *
 * @throws CadreError `PATH_REFUSED` for a link that leads nowhere and for folders of the system; otherwise the error of the system
 */
export function makeFolders(named: string, mode?: number): { readonly path: string; readonly made: number } {
  const missing: string[] = [];
  let existing = path.resolve(named);
  for (; lstatSync(existing, { throwIfNoEntry: false }) === undefined; existing = path.dirname(existing))
    missing.unshift(path.basename(existing));
  const root = realPathOf(existing);
  if (missing.length === 0) return { path: root, made: 0 };
  const request = { root, parts: missing, requested: named, what: 'the file system', create: true, folderMode: mode };
  return { path: withOpenFolderSync(request, (folder) => folder.path), made: missing.length };
}

/** Makes folders below one that is trusted to be what it seems, following no link below it; returns the real path of the last. */
export function makeFoldersInside(root: string, parts: readonly string[], mode?: number): string {
  const requested = parts.join('/');
  const request = { root: realpathSync(root), parts, requested, what: root, create: true, folderMode: mode };
  return withOpenFolderSync(request, (folder) => folder.path);
}

function realPathOf(existing: string): string {
  try {
    return realpathSync(existing);
  } catch (error) {
    const reason = `${showPlace(existing)} is a symbolic link that leads nowhere`;
    throw new CadreError('PATH_REFUSED', `${reason}. Remove it, or make what it leads to.`, { cause: error, details: { reason } });
  }
}
