import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { CadreError } from '../core/error.ts';
import { errorCode } from './error-code.ts';
import { guardWrite } from './guard/guard-writes.ts';
import { anything } from './anything.ts';
import { refusePath } from './inside-path.ts';
import { versionOf } from './open-file.ts';
import { withOpenFolder, type OpenFolder } from './open-folder.ts';
import type { InsideFile } from './read-inside.ts';

/** File to write, its bytes, and the state it must have before. */
export interface WriteRequest extends InsideFile {
  readonly bytes: Uint8Array;
  /** `absent`: the file must not exist. A version (see `OpenFile`): the file must still have it. Left out: any state. */
  readonly expected?: string;
  /** Permissions of the file; by default those of the file it replaces. */
  readonly mode?: number | undefined;
  /** Permissions of new folders on the way; by default those of the process. */
  readonly folderMode?: number | undefined;
  /** False: the folder of the file must exist. */
  readonly makesFolders?: boolean | undefined;
}

/** Result of writing a file. */
export interface Written {
  readonly created: boolean;
}

const temporaryName = /^\.cadre-[0-9a-f-]{36}\.tmp$/;

/** True for the name of a temporary file of a write that is in progress, or was when its process died. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}

/**
 * Writes a file below a root, whole or not at all. A new file takes over the name, so that other hard links of the old file stay as they
 * are, and nothing is ever written through a link. Creates the folders on the way; keeps the permissions of a replaced file.
 *
 * @throws CadreError `PATH_REFUSED` for links, folders, devices and auto-run files; `TOOL_FAILED` when the file is not in the expected
 * state; otherwise the error of the system
 */
export async function writeInside(request: WriteRequest): Promise<Written> {
  if (request.allows === anything) return await write(request);
  return await guardWrite(request, async () => await write(request));
}

async function write(request: WriteRequest): Promise<Written> {
  const { root, file, what, bytes, folderMode, makesFolders: create = true } = request;
  const parts = file.split('/');
  const name = parts.at(-1) ?? '';
  return await withOpenFolder({ root, parts: parts.slice(0, -1), create, folderMode, requested: file, what }, async (folder) => {
    const mode = (await checkTarget(folder, name, request))?.mode;
    const temporary = folder.at(`.cadre-${randomUUID()}.tmp`);
    try {
      await writeNew(temporary, bytes, request.mode ?? (mode === undefined ? undefined : Number(mode & 0o777n)));
      await checkTarget(folder, name, request);
      await rename(temporary, folder.at(name));
    } finally {
      await rm(temporary, { force: true });
    }
    return { created: mode === undefined };
  });
}

async function checkTarget(folder: OpenFolder, name: string, request: WriteRequest): Promise<BigIntStats | undefined> {
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
      `${JSON.stringify(file)} has changed since it was read; nothing was written. Read it again and repeat what is still needed.`,
    );
  return found;
}

/** Returns the stats of a path without following links; undefined when nothing is there. */
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
  const handle = await open(path, 'wx', mode ?? 0o644);
  try {
    await handle.writeFile(bytes);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
