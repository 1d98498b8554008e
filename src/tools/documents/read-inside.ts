import { constants } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeText } from './text-lines.ts';

/** The text of a document, with a mark that changes whenever the file does. */
export interface InsideText {
  readonly text: string;
  /** Made of inode, size and modification time. */
  readonly version: string;
}

/** Why a file was not read; `refused` when reading it would have left the folder through a link. */
export interface NotRead {
  readonly reason: string;
  readonly refused: boolean;
}

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Reads a text file below a root, never through a symbolic link; a file that cannot be read gives the reason.
 *
 * `root` must be a real path, `file` a clean relative path (see `toInsidePath`). The file is opened without following a
 * final link and without waiting on FIFOs; the system is then asked where the *open* file lies, and it is compared with
 * what the path leads to, so that swapping a folder for a link between check and use is noticed.
 */
export async function readInside(root: string, file: string, maxBytes: number): Promise<InsideText | NotRead> {
  const path = join(root, ...file.split('/'));
  let handle: FileHandle;
  try {
    handle = await open(path, openFlags);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ELOOP' || code === 'EMLINK') return refused('it is a symbolic link');
    return unread(describeOpenError(code));
  }
  try {
    return await readOpened(handle, path, maxBytes);
  } finally {
    await handle.close();
  }
}

async function readOpened(handle: FileHandle, path: string, maxBytes: number): Promise<InsideText | NotRead> {
  const opened = await handle.stat({ bigint: true });
  if (!opened.isFile()) return unread('it is not a regular file');
  const openedPath = await pathOfOpen(handle);
  if (openedPath !== undefined && openedPath !== path)
    return refused('a symbolic link is on the way to it, or it was exchanged while it was being opened');
  const onPath = await lookAt(path);
  if (onPath?.real !== path) return refused('a symbolic link is on the way to it');
  if (onPath.ino !== opened.ino || onPath.dev !== opened.dev) return refused('it was exchanged while it was being opened');
  if (opened.size > BigInt(maxBytes)) return unread(`it is larger than ${maxBytes} bytes (${opened.size})`);
  const bytes = await readBytes(handle, Number(opened.size));
  if (bytes === undefined) return unread('it changed while it was being read');
  const decoded = decodeText(bytes);
  if ('reason' in decoded) return unread(decoded.reason);
  return { text: decoded.text, version: `${opened.ino}:${opened.size}:${opened.mtimeNs}` };
}

/**
 * The path of an open file, from the system that opened it: nothing can be exchanged between the question and the answer.
 * Undefined where the system does not tell (there is no /proc); the comparison by path then stands alone.
 */
async function pathOfOpen(handle: FileHandle): Promise<string | undefined> {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Where a path really leads; undefined when there is nothing (any more). */
async function lookAt(path: string): Promise<{ readonly real: string; readonly ino: bigint; readonly dev: bigint } | undefined> {
  try {
    const { ino, dev } = await lstat(path, { bigint: true });
    return { real: await realpath(path), ino, dev };
  } catch (error) {
    // Gone between opening and looking: whatever was opened is not what the path leads to.
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

function refused(reason: string): NotRead {
  return { reason, refused: true };
}

function unread(reason: string): NotRead {
  return { reason, refused: false };
}

/** Reads exactly `size` bytes; a file that is longer or shorter by now gives undefined. */
async function readBytes(handle: FileHandle, size: number): Promise<Uint8Array | undefined> {
  // One byte more than expected, to notice a file that grew (or one, as in /proc, that lies about its size).
  const buffer = new Uint8Array(size + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === size ? buffer.subarray(0, size) : undefined;
}

function describeOpenError(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'permission to read it is denied';
  return `it cannot be opened (${code ?? 'unknown error'})`;
}

/** The system error code of something thrown, e.g. `ENOENT`, or undefined when it has none. */
export function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
