import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Where the engines of this process keep what tools must leave alone, wherever it lies and whatever it is called: the folders with
 * their profiles, which say what tools may do, and their journals.
 */
const profiles = new Set<string>();
const journals = new Set<string>();

/** Remembers a folder with profiles: no tool changes what is in it. */
export function rememberProfiles(folder: string): void {
  profiles.add(realPath(folder));
}

/** Remembers a journal: no tool reads or changes it, or the files SQLite keeps beside it. */
export function rememberJournal(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) journals.add(realPath(file) + suffix);
}

/** Folders and files that may not be written. */
export function engineProfiles(): readonly string[] {
  return [...profiles];
}

/** Files that may be neither read nor written. */
export function engineJournals(): readonly string[] {
  return [...journals];
}

/** Whether a real path lies in a folder with profiles of this process, or is one. */
export function isEngineProfile(absolute: string): boolean {
  return profiles.has(absolute) || [...profiles].some((folder) => absolute.startsWith(`${folder}${path.sep}`));
}

/** Whether a real path is a journal of this process. */
export function isEngineJournal(absolute: string): boolean {
  return journals.has(absolute);
}

/** Where a path leads; of one that is not there yet, its folder counts. */
function realPath(place: string): string {
  const absolute = path.resolve(place);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = path.dirname(absolute);
  return existsSync(folder) ? path.join(realpathSync(folder), path.basename(absolute)) : absolute;
}
