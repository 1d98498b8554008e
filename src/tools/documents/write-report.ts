import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CadreError } from '../../core/error.ts';
import { refusePath, toInsidePath } from './inside-path.ts';
import { errorCode } from './read-inside.ts';

/** Where a report was written, relative to the output folder, and how large it is. */
export interface WrittenReport {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
}

const folderName = 'the output folder';
const maxReportBytes = 5_000_000;

/**
 * Writes a Markdown report into the output folder: whole or not at all (a new file that then takes the name). The folder
 * and folders below it are made when they are missing; nothing is ever written through a symbolic link.
 *
 * @throws CadreError `PATH_REFUSED` for a path outside, hidden, through a link, onto a folder, or not ending in .md;
 * `TOOL_FAILED` when the content is too large or the disk refuses
 */
export async function writeReport(outDir: string, requested: string, content: string): Promise<WrittenReport> {
  const path = toInsidePath(requested, folderName);
  const parts = path.split('/');
  if (!/\.(?:md|markdown)$/i.test(path)) throw refusePath(requested, 'a report ends in .md', folderName);
  if (parts.some((part) => part.startsWith('.')))
    throw refusePath(requested, 'hidden files and folders are not written to', folderName);
  if (parts.includes('agent_profiles')) throw refusePath(requested, 'profiles are not written by tools', folderName);
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length > maxReportBytes) {
    throw new CadreError(
      'TOOL_FAILED',
      `The report is too large: ${bytes.length} bytes, ${maxReportBytes} are allowed. Write less, or several reports.`,
    );
  }
  try {
    const folder = await makeFolder(outDir, parts.slice(0, -1), requested);
    await replaceFile(folder, parts.at(-1) ?? path, bytes, requested);
  } catch (error) {
    if (error instanceof CadreError) throw error;
    const reason = errorCode(error) ?? String(error);
    throw new CadreError('TOOL_FAILED', `The report "${path}" could not be written: ${reason}. Check the output folder.`, {
      cause: error,
    });
  }
  return { path, bytes: bytes.length, lines: content.split('\n').length - (content.endsWith('\n') ? 1 : 0) };
}

/** Makes the folders one by one, so that a link in the place of one is noticed. */
async function makeFolder(outDir: string, parts: readonly string[], requested: string): Promise<string> {
  await mkdir(resolve(outDir), { recursive: true });
  let folder = await realpath(resolve(outDir));
  for (const part of parts) {
    folder = join(folder, part);
    await mkdir(folder).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    const found = await lstat(folder);
    if (found.isSymbolicLink()) throw refusePath(requested, `"${part}" is a symbolic link`, folderName);
    if (!found.isDirectory()) throw refusePath(requested, `"${part}" is not a folder`, folderName);
  }
  return folder;
}

async function replaceFile(folder: string, name: string, bytes: Uint8Array, requested: string): Promise<void> {
  const target = join(folder, name);
  const existing = await lstat(target).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (existing?.isSymbolicLink() === true) throw refusePath(requested, 'it is a symbolic link', folderName);
  if (existing !== undefined && !existing.isFile())
    throw refusePath(requested, 'there is a folder or device of that name', folderName);
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    await writeNew(temporary, bytes);
    // A folder exchanged for a link meanwhile would lead the file elsewhere.
    if ((await realpath(folder)) !== folder)
      throw refusePath(requested, 'a folder on the way was exchanged for a link', folderName);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const handle: FileHandle = await open(path, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
