import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { CadreError } from '../core/error.ts';
import { errorCode } from './error-code.ts';
import { refusePath } from './inside-path.ts';

/** Folder that is held open, so that it cannot be swapped for another while in use. */
export interface OpenFolder {
  /** Real path. */
  readonly path: string;
  /** Path of an entry, resolved through the open folder; '.' is the folder itself. */
  readonly at: (name: string) => string | Buffer;
}

/** Folder to open, and how to name it in messages. */
export interface FolderRequest {
  /** A real path. */
  readonly root: string;
  /** Names of the folders below the root, outermost first. */
  readonly parts: readonly string[];
  /** Creates missing folders. */
  readonly create?: boolean;
  /** Permissions of created folders; by default those of the process. */
  readonly folderMode?: number | undefined;
  /** `latin1`: the parts, and the names passed to `at`, have one character per byte; for names that are not valid text. */
  readonly encoding?: 'utf8' | 'latin1';
  /** For messages: the whole requested path, and a name for the root. */
  readonly requested: string;
  readonly what: string;
}

/** System folders: they hold no files of a team, and reading or writing there has side effects. */
export const systemFolders: readonly string[] = ['/proc', '/dev', '/sys'];

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const hasDescriptorPaths = existsSync('/proc/self/fd');

/**
 * Opens a folder below a root and holds it open while `use` runs. Each folder on the way is opened inside its parent and never
 * through a symbolic link, so that swapping one of them for a link has no effect. On systems without paths for open
 * folders (no /proc), the opened folder is compared with the target of its path.
 *
 * @throws CadreError `PATH_REFUSED` for a link on the way and for system folders; otherwise the error of the system
 */
export async function withOpenFolder<T>(request: FolderRequest, use: (folder: OpenFolder) => Promise<T>): Promise<T> {
  const folder = openFolder(request);
  try {
    return await use(folder);
  } finally {
    closeSync(folder.descriptor);
  }
}

/** Does the same for callers that cannot wait for a promise. */
export function withOpenFolderSync<T>(request: FolderRequest, use: (folder: OpenFolder) => T): T {
  const folder = openFolder(request);
  try {
    return use(folder);
  } finally {
    closeSync(folder.descriptor);
  }
}

/** Refuses system folders, wherever the root is. */
export function refuseSystemFolder(path: string, { requested, what }: Pick<FolderRequest, 'requested' | 'what'>): void {
  if (isSystemFolder(path)) throw refusePath(requested, 'it belongs to the system', what);
}

/** True when a path is a system folder or lies in one. */
export function isSystemFolder(path: string): boolean {
  return systemFolders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

interface HeldFolder extends OpenFolder {
  readonly descriptor: number;
}

function openFolder(request: FolderRequest): HeldFolder {
  const { root, parts } = request;
  refuseSystemFolder(join(root, ...parts), request);
  let folder = openAt(root, root, request.encoding);
  for (const part of parts) {
    try {
      const next = step(folder, part, request);
      closeSync(folder.descriptor);
      folder = next;
    } catch (error) {
      closeSync(folder.descriptor);
      throw error;
    }
  }
  return folder;
}

function openAt(reachedAt: string | Buffer, path: string, encoding: FolderRequest['encoding'] = 'utf8'): HeldFolder {
  const descriptor = openSync(reachedAt, folderFlags);
  const reached = (name: string): string => `/proc/self/fd/${descriptor}/${name}`;
  if (hasDescriptorPaths)
    return { descriptor, path, at: encoding === 'utf8' ? reached : (name) => Buffer.from(reached(name), encoding) };
  try {
    const [opened, real] = [fstatSync(descriptor, { bigint: true }), realpathSync(path)];
    const found = lstatSync(real, { bigint: true });
    if (real === path && found.ino === opened.ino && found.dev === opened.dev)
      return { descriptor, path, at: (name) => join(path, name) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  closeSync(descriptor);
  throw new CadreError('PATH_REFUSED', `The folder ${path} was exchanged while it was being opened.`, {
    details: { reason: 'it was exchanged while it was being opened' },
  });
}

function step(folder: OpenFolder, part: string, request: FolderRequest): HeldFolder {
  const { requested, what, create = false } = request;
  try {
    if (create) makeFolder(folder.at(part), request.folderMode);
    return openAt(folder.at(part), join(folder.path, part), request.encoding);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOTDIR' && code !== 'ELOOP' && code !== 'EMLINK') throw error;
    if (code !== 'ENOTDIR' || isLink(folder.at(part)))
      throw refusePath(requested, `"${part}" on the way to it is a symbolic link`, what);
    if (create) throw refusePath(requested, `"${part}" is not a folder`, what);
    throw error;
  }
}

function makeFolder(path: string | Buffer, mode: number | undefined): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function isLink(path: string | Buffer): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    // Removed meanwhile: all that is known is that it was not a folder.
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
