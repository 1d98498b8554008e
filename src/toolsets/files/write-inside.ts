import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { CadreError } from '../../core/error.ts';
import { errorCode } from './error-code.ts';
import { guardWrite } from './guard/guard-writes.ts';
import { refusePath } from './inside-path.ts';
import { versionOf } from './open-file.ts';
import { withOpenFolder, type OpenFolder } from './open-folder.ts';
import type { InsideFile } from './read-inside.ts';

/** What is written, and what must be there before. */
export interface WriteRequest extends InsideFile {
  readonly bytes: Uint8Array;
  /** `absent`: there must be no such file. A version (see `OpenFile`): the file must still be that one. Absent: anything. */
  readonly expected?: string;
}

/** What was there before a file was written. */
export interface Written {
  readonly created: boolean;
}

const temporaryName = /^\.cadre-[0-9a-f-]{36}\.tmp$/;

/** Tells whether a name is that of a file which is just being written, or was when its process died. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}

/**
 * Writes a file below a root: whole or not at all. A new file takes the name, so that what else is linked to the old one stays as it
 * is, and nothing is ever written through a link. Folders on the way are made; the permissions of a file that is replaced are kept.
 *
 * @throws CadreError `PATH_REFUSED` for links, folders, devices and files that make other programs run something; `TOOL_FAILED` when what is there is not what was expected; what
 * the system throws otherwise
 */
export async function writeInside(request: WriteRequest): Promise<Written> {
  return await guardWrite(request, async () => await write(request));
}

async function write(request: WriteRequest): Promise<Written> {
  const { root, file, what, bytes } = request;
  const parts = file.split('/');
  const name = parts.at(-1) ?? '';
  return await withOpenFolder({ root, parts: parts.slice(0, -1), create: true, requested: file, what }, async (folder) => {
    const mode = (await lookBefore(folder, name, request))?.mode;
    const temporary = folder.at(`.cadre-${randomUUID()}.tmp`);
    try {
      await writeNew(temporary, bytes, mode === undefined ? undefined : Number(mode & 0o777n));
      await lookBefore(folder, name, request);
      await rename(temporary, folder.at(name));
    } finally {
      await rm(temporary, { force: true });
    }
    return { created: mode === undefined };
  });
}

async function lookBefore(folder: OpenFolder, name: string, request: WriteRequest): Promise<BigIntStats | undefined> {
  const { file, what, expected } = request;
  const found = await lookAt(folder.at(name));
  if (found?.isSymbolicLink() === true) throw refusePath(file, 'it is a symbolic link', what);
  if (found !== undefined && !found.isFile()) throw refusePath(file, 'there is a folder or device of that name', what);
  if (expected === undefined) return found;
  if (expected === 'absent' && found !== undefined)
    throw new CadreError('TOOL_FAILED', `${JSON.stringify(file)} exists already. Edit it, or choose another name.`);
  if (expected !== 'absent' && (found === undefined || versionOf(found) !== expected))
    throw new CadreError(
      'TOOL_FAILED',
      `${JSON.stringify(file)} was changed by somebody else meanwhile; nothing was written. Read it again and repeat what is still needed.`,
    );
  return found;
}

/** What a path names itself, without following a link; undefined when there is nothing. */
export async function lookAt(path: string | Buffer): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function writeNew(path: string | Buffer, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const handle = await open(path, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
