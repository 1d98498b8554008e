import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
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
  const { root, parts } = request;
  refuseSystemFolder(join(root, ...parts), request);
  let folder = await openAt(root, root, request.encoding);
  try {
    for (const part of parts) {
      const next = await step(folder, part, request);
      await folder.handle.close();
      folder = next;
    }
    const { path, at } = folder;
    return await use({ path, at });
  } finally {
    await folder.handle.close();
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
  readonly handle: FileHandle;
}

async function openAt(reachedAt: string | Buffer, path: string, encoding: FolderRequest['encoding'] = 'utf8'): Promise<HeldFolder> {
  const handle = await open(reachedAt, folderFlags);
  const reached = (name: string): string => `/proc/self/fd/${handle.fd}/${name}`;
  if (hasDescriptorPaths)
    return { handle, path, at: encoding === 'utf8' ? reached : (name) => Buffer.from(reached(name), encoding) };
  try {
    const [opened, real] = [await handle.stat({ bigint: true }), await realpath(path)];
    const found = await lstat(real, { bigint: true });
    if (real === path && found.ino === opened.ino && found.dev === opened.dev)
      return { handle, path, at: (name) => join(path, name) };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw new CadreError('PATH_REFUSED', `The folder ${path} was exchanged while it was being opened.`, {
    details: { reason: 'it was exchanged while it was being opened' },
  });
}

async function step(folder: OpenFolder, part: string, request: FolderRequest): Promise<HeldFolder> {
  const { requested, what, create = false } = request;
  try {
    if (create)
      await mkdir(folder.at(part)).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error;
      });
    return await openAt(folder.at(part), join(folder.path, part), request.encoding);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOTDIR' && code !== 'ELOOP' && code !== 'EMLINK') throw error;
    if (code !== 'ENOTDIR' || (await isLink(folder.at(part))))
      throw refusePath(requested, `"${part}" on the way to it is a symbolic link`, what);
    if (create) throw refusePath(requested, `"${part}" is not a folder`, what);
    throw error;
  }
}

async function isLink(path: string | Buffer): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    // Removed meanwhile: all that is known is that it was not a folder.
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
