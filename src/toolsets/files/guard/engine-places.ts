import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Where the engines of this process keep what tools must leave alone, wherever it lies and whatever it is called: the folders with
 * their profiles, which say what tools may do, and their journals.
 */
// Not state of a run: which folders this process reads profiles from.
const profiles = new Set<string>();
// Not state of a run: which journals this process has open.
const journals = new Set<string>();
// Not state of a run: the folders in which people of other processes leave what runs are to do, approvals among it.
const mail = new Set<string>();
// Not state of a run: the folders in which this process notes where runs work.
const notes = new Set<string>();

/** Remembers a folder with profiles: no tool changes what is read of it. */
export function rememberProfiles(folder: string): void {
  profiles.add(realPath(folder));
}

/** Remembers a journal: no tool reads or changes it, or the files SQLite keeps beside it. */
export function rememberJournal(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) journals.add(realPath(file) + suffix);
  const beside = path.dirname(realPath(file));
  mail.add(path.join(beside, 'mail'));
  notes.add(path.join(beside, 'runs'));
}

/** Files that may be neither read nor written. */
export function engineJournals(): readonly string[] {
  return [...journals];
}

/** Whether a real path is a folder with profiles of this process, or lies in one where profiles are read. */
export function isEngineProfile(absolute: string): boolean {
  return [...profiles].some((folder) => isReadIn(folder, absolute));
}

/** The folders with profiles that whoever may write to these places could change. */
export function engineProfilesIn(places: readonly string[]): readonly string[] {
  return [...profiles].filter((folder) => places.some((place) => isBelow(place, folder) || isReadIn(folder, place)));
}

/** What is hidden in a folder with profiles is not read with them, such as the workspaces in `.cadre`. */
function isReadIn(folder: string, absolute: string): boolean {
  if (!isBelow(folder, absolute)) return false;
  const names = path.relative(folder, absolute).split(path.sep);
  return !names.some((name) => name.startsWith('.') || name === 'node_modules');
}

function isBelow(folder: string, absolute: string): boolean {
  return absolute === folder || absolute.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`);
}

/** Whether a real path is a journal of this process. */
export function isEngineJournal(absolute: string): boolean {
  return journals.has(absolute);
}

/** Whether a real path is where people of other processes decide for runs of this one, or where is noted what runs work on: no tool decides there. */
export function isEngineMail(absolute: string): boolean {
  return [...mail].some((folder) => isBelow(folder, absolute)) || isNote(absolute);
}

/** The folders in these places that no command may write to, since people decide there for runs. */
export function engineMailIn(places: readonly string[]): readonly string[] {
  return [...mail].filter((folder) => places.some((place) => isBelow(place, folder)));
}

/** A journal may lie in a project, which may have a folder `runs` of its own. */
function isNote(absolute: string): boolean {
  const folder = path.dirname(absolute);
  if (!notes.has(folder)) return false;
  return path.basename(path.dirname(folder)) === '.cadre' || /^run_\w+\.json$/.test(path.basename(absolute));
}

/** Where a path leads; of one that is not there yet, its folder counts. */
function realPath(place: string): string {
  const absolute = path.resolve(place);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = path.dirname(absolute);
  return existsSync(folder) ? path.join(realpathSync(folder), path.basename(absolute)) : absolute;
}
