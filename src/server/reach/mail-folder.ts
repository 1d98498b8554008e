import { statSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';

/**
 * The folder beside a journal in which processes leave letters for one another: `mail/RUN/NAME.json` asks, `NAME.taken` was taken by
 * the process that has the run, `NAME.done` is its answer.
 *
 * 1. A letter is taken by renaming it and taken back by removing it: one of the two succeeds.
 * 2. Whoever looks sees all of a file, or none of it.
 * 3. Only the user whose journal it is may write there; a folder others can write into is not used.
 * 4. A journal can come with links beside it: neither the folder nor a run's folder in it may be one, and no file is written through one.
 */
export function mailFolder(store: string): string {
  return path.join(path.dirname(path.resolve(store)), 'mail');
}

/** The file of an engine's journal; `memory` when it is in no file, so that there is nothing to put a folder beside. */
export function mailStore({ location }: { readonly location: string }): string {
  return statSync(location, { throwIfNoEntry: false })?.isFile() === true ? location : 'memory';
}

/** How long whoever asks waits until a letter is taken; one that is older was given up. In milliseconds. */
export const longestUntakenMs = 10_000;
/** Most bytes of a letter: those of the longest message, were all of it to be escaped. */
const maxLetterBytes = 16_000_000;

/** Makes the folder for a run's letters. Fails with STORE_FAILED when it cannot be had. */
export async function makeMailFolder(store: string, runId: string): Promise<string> {
  // The id becomes part of a path.
  if (!/^\w[\w.-]{0,99}$/.test(runId)) throw new CadreError('OPTION_INVALID', `${JSON.stringify(runId)} is no id of a run`);
  const folder = path.join(mailFolder(store), runId);
  try {
    for (const used of [mailFolder(store), folder]) {
      await mkdir(used, { recursive: true, mode: 0o700 });
      if (!(await isPrivate(used)))
        throw new CadreError('STORE_FAILED', `${used} is not used: it is a link, or others can write into it; remove it`);
    }
    return folder;
  } catch (thrown) {
    if (thrown instanceof CadreError) throw thrown;
    throw new CadreError('STORE_FAILED', `${folder} cannot be made: ${describeThrown(thrown)}`, { cause: thrown });
  }
}

/** Tells whether a folder is there that nobody but this user can write into. */
export async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(absent);
  if (found?.isDirectory() !== true) return false;
  // Systems without user ids keep others out of a user's folders themselves.
  const user = process.getuid?.();
  return user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
}

/** The letters of a folder and when they were written; nothing when the folder is not there yet. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(absent)) ?? [];
}

/** Reads what a file of the folder holds; undefined when there is no such file, or it is none that is written here. */
export async function readLetter(file: string): Promise<{ readonly value: unknown; readonly writtenAt: number } | undefined> {
  const found = await lstat(file).catch(absent);
  if (found === undefined || !found.isFile() || found.size > maxLetterBytes) return undefined;
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text), writtenAt: found.mtimeMs };
  } catch {
    // Not of ours: those are written whole.
    return { value: undefined, writtenAt: found.mtimeMs };
  }
}

/** Writes a file so that whoever looks sees all of it, or none. */
export async function writeWhole(file: string, value: unknown): Promise<void> {
  try {
    await rm(`${file}.part`, { force: true });
    await writeFile(`${file}.part`, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    await rename(`${file}.part`, file);
  } catch (thrown) {
    throw new CadreError('STORE_FAILED', `${file} cannot be written: ${describeThrown(thrown)}`, { cause: thrown });
  }
}

/** For a file that may be gone: undefined then; anything else that was thrown is thrown on. */
export function absent(thrown: unknown): undefined {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
  throw thrown;
}
