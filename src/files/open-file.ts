import { constants, openSync } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { errorCode } from './error-code.ts';
import { refusePath } from './inside-path.ts';
import type { FolderRequest, OpenFolder } from './open-folder.ts';
import { CadreError } from '../core/error.ts';

/** Regular file, open for reading. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** Changes whenever the file does: inode, size and modification time. */
  readonly version: string;
  /** Permission bits. */
  readonly mode: number;
}

const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file in an open folder, never through a link, and without waiting on a FIFO or device. The caller closes it.
 *
 * @throws CadreError `PATH_REFUSED` for a link, `TOOL_FAILED` for anything but a regular file; otherwise the error of the system
 */
export async function openFile(folder: OpenFolder, name: string, { requested, what }: FileRequest): Promise<OpenFile> {
  const path = folder.at(name);
  // Opening a device can have side effects, so its kind is checked first; the check of the opened file below decides.
  const found = await lstat(path);
  if (found.isSymbolicLink()) throw refusePath(requested, 'it is a symbolic link', what);
  if (!found.isFile()) throw notRegular(requested, found.isDirectory());
  const handle = await open(path, fileFlags).catch((error: unknown) => {
    const code = errorCode(error);
    throw code === 'ELOOP' || code === 'EMLINK' ? refusePath(requested, 'it is a symbolic link', what) : error;
  });
  try {
    const opened = await handle.stat({ bigint: true });
    if (!opened.isFile()) throw notRegular(requested, opened.isDirectory());
    return { handle, size: Number(opened.size), version: versionOf(opened), mode: Number(opened.mode & 0o777n) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Creates a private file in an open folder, for writing and reading; fails when something of that name is there, be it a link. */
export function createFileSync(folder: OpenFolder, name: string): number {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
  return openSync(folder.at(name), O_RDWR | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600);
}

type FileRequest = Pick<FolderRequest, 'requested' | 'what'>;

/** Returns a string that changes whenever a file does. */
export function versionOf(stats: { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint }): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

function notRegular(requested: string, isFolder: boolean): CadreError {
  const reason = isFolder ? 'it is a folder' : 'it is not a regular file';
  return new CadreError('TOOL_FAILED', `${JSON.stringify(requested)} cannot be opened: ${reason}.`, { details: { reason } });
}
