import { statSync } from 'node:fs';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { EngineFolder } from '../../files/engine-folder.ts';
import { readJson } from '../../core/read-json.ts';

/**
 * Returns the folder beside a journal in which processes leave letters for each other, or that of one run in it: `mail/RUN/NAME.json` is a
 * request, `NAME.taken` was taken by the process that advances the run, `NAME.done` is its answer.
 *
 * 1. A letter is taken by renaming it and taken back by removing it: only one of the two succeeds.
 * 2. A reader sees a whole file, or none.
 * 3. Only the journal's user may write there; a folder that others can write to is not used.
 * 4. A journal can come with links beside it: neither the folder nor a run's folder in it may be a link, and no file is written
 *    through one.
 */
export function mailFolder(store: string, ...runs: readonly string[]): EngineFolder {
  return new EngineFolder(path.dirname(path.resolve(store)), ['mail', ...runs]);
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
export async function makeMailFolder(store: string, runId: string): Promise<EngineFolder> {
  // The id becomes part of a path.
  if (!/^\w[\w.-]{0,99}$/.test(runId)) throw new CadreError('OPTION_INVALID', `${JSON.stringify(runId)} is not the id of a run`);
  const folder = mailFolder(store, runId);
  try {
    await folder.make();
    if (await folder.isPrivate()) return folder;
  } catch (thrown) {
    if (!(thrown instanceof CadreError))
      throw new CadreError('STORE_FAILED', `${folder.path} cannot be created: ${describeThrown(thrown)}`, { cause: thrown });
  }
  throw new CadreError('STORE_FAILED', `${folder.path} is not used: it is a link, or others can write into it; remove it`);
}

/** Reads a letter; undefined when there is no such file, or it cannot be a letter. */
export async function readLetter(
  folder: EngineFolder,
  name: string,
): Promise<{ readonly value: unknown; readonly writtenAt: number } | undefined> {
  const read = await folder.read(name, maxLetterBytes);
  if (read === undefined) return undefined;
  try {
    return { value: readJson(read.text), writtenAt: read.writtenAt };
  } catch {
    // Letters are written whole, so this file is not one.
    return { value: undefined, writtenAt: read.writtenAt };
  }
}

/** Writes a letter so that readers see all of it, or none. Fails with STORE_FAILED. */
export async function writeLetter(folder: EngineFolder, name: string, value: unknown): Promise<void> {
  try {
    await folder.write(name, JSON.stringify(value));
  } catch (thrown) {
    throw new CadreError('STORE_FAILED', `${path.join(folder.path, name)} cannot be written: ${describeThrown(thrown)}`, {
      cause: thrown,
    });
  }
}
