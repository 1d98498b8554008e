import { statSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { readJson } from '../../core/read-json.ts';

/**
 * Returns the folder beside a journal in which processes leave letters for each other: `mail/RUN/NAME.json` is a request, `NAME.taken`
 * was taken by the process that advances the run, `NAME.done` is its answer.
 *
 * 1. A letter is taken by renaming it and taken back by removing it: only one of the two succeeds.
 * 2. A reader sees a whole file, or none.
 * 3. Only the journal's user may write there; a folder that others can write to is not used.
 * 4. A journal can come with links beside it: neither the folder nor a run's folder in it may be a link, and no file is written
 *    through one.
 */
export function mailFolder(store: string): string {
  return path.join(path.dirname(path.resolve(store)), 'mail');
}

/** Returns the file of an engine's journal; `memory` when it is not in a file, so that there is no place for the folder. */
export function mailStore({ location }: { readonly location: string }): string {
  return statSync(location, { throwIfNoEntry: false })?.isFile() === true ? location : 'memory';
}

/** Milliseconds a sender waits until its letter is taken; older letters were given up. */
export const longestUntakenMs = 10_000;
/** Maximum size of a letter in bytes: the longest message with every character escaped. */
const maxLetterBytes = 16_000_000;

/** Creates the folder for a run's letters. Fails with STORE_FAILED when it cannot be used. */
export async function makeMailFolder(store: string, runId: string): Promise<string> {
  // The id becomes part of a path.
  if (!/^\w[\w.-]{0,99}$/.test(runId)) throw new CadreError('OPTION_INVALID', `${JSON.stringify(runId)} is not the id of a run`);
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
    throw new CadreError('STORE_FAILED', `${folder} cannot be created: ${describeThrown(thrown)}`, { cause: thrown });
  }
}

/** True when a folder exists that only this user can write to. */
export async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(absent);
  if (found?.isDirectory() !== true) return false;
  // Systems without user ids protect a user's folders themselves.
  const user = process.getuid?.();
  return user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
}

/** Returns the names of the files in a folder; none when the folder does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(absent)) ?? [];
}

/** Reads a letter; undefined when there is no such file, or it cannot be a letter. */
export async function readLetter(file: string): Promise<{ readonly value: unknown; readonly writtenAt: number } | undefined> {
  const found = await lstat(file).catch(absent);
  if (found === undefined || !found.isFile() || found.size > maxLetterBytes) return undefined;
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  try {
    return { value: readJson(text), writtenAt: found.mtimeMs };
  } catch {
    // Letters are written whole, so this file is not one.
    return { value: undefined, writtenAt: found.mtimeMs };
  }
}

/** Writes a file so that readers see all of it, or none. */
export async function writeWhole(file: string, value: unknown): Promise<void> {
  try {
    await rm(`${file}.part`, { force: true });
    await writeFile(`${file}.part`, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    await rename(`${file}.part`, file);
  } catch (thrown) {
    throw new CadreError('STORE_FAILED', `${file} cannot be written: ${describeThrown(thrown)}`, { cause: thrown });
  }
}

/** Returns undefined for a missing file; rethrows any other error. */
export function absent(thrown: unknown): undefined {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
  throw thrown;
}
