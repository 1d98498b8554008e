import { CadreError } from '../core/error.ts';
import { errorCode } from './error-code.ts';
import type { PathTest } from './glob-pattern.ts';
import { openFile, type OpenFile } from './open-file.ts';
import { withOpenFolder } from './open-folder.ts';
import { decodeText } from './text-lines.ts';

/** Text of a file, with a version that changes whenever the file does. */
export interface InsideText {
  readonly text: string;
  /** Inode, size and modification time. */
  readonly version: string;
}

/** Reason for a missing file. */
export const noSuchFile = 'it does not exist';

/** Reason for not reading a file; `refused` when reading it would have left the folder through a link. */
export interface NotRead {
  readonly reason: string;
  readonly refused: boolean;
}

/**
 * Reads a text file below a root, never through a symbolic link; returns the reason when the file cannot be read.
 *
 * `root` must be a real path, `file` a clean relative path (see `toInsidePath`).
 */
export async function readInside(root: string, file: string, maxBytes: number): Promise<InsideText | NotRead> {
  const read = await readBytesInside(root, file, maxBytes);
  if ('reason' in read) return read;
  const decoded = decodeText(read.bytes);
  return 'reason' in decoded ? unread(decoded.reason) : { text: decoded.text, version: read.version };
}

/** Bytes of a file, with a version that changes whenever the file does. */
export interface InsideBytes extends Pick<InsideText, 'version'> {
  readonly bytes: Uint8Array;
}

/** Reads a file below a root as bytes, under the rules of `readInside`. */
export async function readBytesInside(root: string, file: string, maxBytes: number): Promise<InsideBytes | NotRead> {
  try {
    return await useInside({ root, file, what: 'the folder' }, async (opened) => {
      if (opened.size > maxBytes) return unread(`it is larger than ${maxBytes} bytes (${opened.size})`);
      const bytes = await readWhole(opened);
      return bytes === undefined ? unread('it changed while it was being read') : { bytes, version: opened.version };
    });
  } catch (error) {
    if (!(error instanceof CadreError)) return unread(describeOpenError(error));
    return { reason: String(error.details['reason'] ?? error.message), refused: error.code === 'PATH_REFUSED' };
  }
}

/** File below a root: the real path of the root, and a clean path relative to it. */
export interface InsideFile {
  readonly root: string;
  readonly file: string;
  /** Name of the root in messages. */
  readonly what: string;
  /** For writing: auto-run files that may be written; none when absent. */
  readonly allows?: PathTest | undefined;
}

/**
 * Opens a regular file below a root for reading, and closes it when `use` is done.
 *
 * @throws CadreError `PATH_REFUSED` for links and system folders, `TOOL_FAILED` for anything but a regular file; the error of the system
 * for a missing file and for one that may not be read
 */
export async function useInside<T>({ root, file, what }: InsideFile, use: (opened: OpenFile) => Promise<T>): Promise<T> {
  const parts = file.split('/');
  const request = { root, parts: parts.slice(0, -1), requested: file, what };
  return await withOpenFolder(request, async (folder) => {
    const opened = await openFile(folder, parts.at(-1) ?? '', request);
    try {
      return await use(opened);
    } finally {
      await opened.handle.close();
    }
  });
}

/** Reads all of an open file; returns undefined when its length changed since it was opened. */
export async function readWhole({ handle, size }: OpenFile): Promise<Uint8Array | undefined> {
  // One byte more than expected detects a file that grew (or one with a false size, as in /proc).
  const buffer = new Uint8Array(size + 1);
  let filled = 0;
  // A regular file returns all it has: fewer bytes than requested, but as many as expected, is the end of the file.
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === size ? buffer.subarray(0, size) : undefined;
}

/** Describes a system error about opening a file; rethrows anything else. */
export function describeOpenError(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return noSuchFile;
  if (code === 'EACCES' || code === 'EPERM') return 'permission to read it is denied';
  if (code === 'ENAMETOOLONG') return 'its name is too long';
  if (code === undefined) throw error;
  return `it cannot be opened (${code})`;
}

function unread(reason: string): NotRead {
  return { reason, refused: false };
}
