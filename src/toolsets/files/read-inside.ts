import { CadreError } from '../../core/error.ts';
import { errorCode } from './error-code.ts';
import type { PathTest } from './glob-pattern.ts';
import { openFile, type OpenFile } from './open-file.ts';
import { withOpenFolder } from './open-folder.ts';
import { decodeText } from './text-lines.ts';

/** The text of a document, with a mark that changes whenever the file does. */
export interface InsideText {
  readonly text: string;
  /** Made of inode, size and modification time. */
  readonly version: string;
}

/** The reason for a file that is not there. */
export const noSuchFile = 'it does not exist';

/** Why a file was not read; `refused` when reading it would have left the folder through a link. */
export interface NotRead {
  readonly reason: string;
  readonly refused: boolean;
}

/**
 * Reads a text file below a root, never through a symbolic link; a file that cannot be read gives the reason.
 *
 * `root` must be a real path, `file` a clean relative path (see `toInsidePath`).
 */
export async function readInside(root: string, file: string, maxBytes: number): Promise<InsideText | NotRead> {
  try {
    return await useInside({ root, file, what: 'the folder' }, async (opened) => {
      if (opened.size > maxBytes) return unread(`it is larger than ${maxBytes} bytes (${opened.size})`);
      const bytes = await readWhole(opened);
      if (bytes === undefined) return unread('it changed while it was being read');
      const decoded = decodeText(bytes);
      return 'reason' in decoded ? unread(decoded.reason) : { text: decoded.text, version: opened.version };
    });
  } catch (error) {
    if (!(error instanceof CadreError)) return unread(describeOpenError(error));
    return { reason: String(error.details['reason'] ?? error.message), refused: error.code === 'PATH_REFUSED' };
  }
}

/** Which file is opened: a real path, and a clean path relative to it. */
export interface InsideFile {
  readonly root: string;
  readonly file: string;
  /** What the root is called in messages. */
  readonly what: string;
  /** For writing: paths that may be written although they make other programs run something; none when absent. */
  readonly allows?: PathTest;
}

/**
 * Opens a regular file below a root for reading, and closes it when `use` is done.
 *
 * @throws CadreError `PATH_REFUSED` for links and folders of the system, `TOOL_FAILED` for what is no regular file; what the system
 * throws for what is not there or may not be read
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

/** Reads all of an open file; undefined when it is longer or shorter than it was when it was opened. */
export async function readWhole({ handle, size }: OpenFile): Promise<Uint8Array | undefined> {
  // One byte more than expected, to notice a file that grew (or one, as in /proc, that lies about its size).
  const buffer = new Uint8Array(size + 1);
  let filled = 0;
  // A regular file gives all it has; less than was asked for, but as much as it should have, is the end of it.
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === size ? buffer.subarray(0, size) : undefined;
}

/** What a system error about opening a file means. */
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
