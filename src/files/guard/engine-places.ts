import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../is-within.ts';

/**
 * Folders and files of the engines of this process that tools must leave alone, wherever they lie and whatever their names: folders with
 * profiles, which say what tools may do, and journals.
 */
// Not state of a run: folders this process reads profiles from.
const profiles = new Set<string>();
// Not state of a run: journals this process has open.
const journals = new Set<string>();
// Not state of a run: folders in which other processes leave requests to runs, such as approvals, or indexes of documents; and files with
// the users of servers.
const mail = new Set<string>();
// Not state of a run: folders in which this process notes the working folders of runs.
const notes = new Set<string>();

/** Registers a folder with profiles: no tool may change files that are read as profiles. */
export function rememberProfiles(folder: string): void {
  profiles.add(realPath(folder));
}

/** Registers a journal: no tool may read or change it, or the files SQLite keeps beside it. */
export function rememberJournal(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) journals.add(realPath(file) + suffix);
  const beside = path.dirname(realPath(file));
  mail.add(path.join(beside, 'mail'));
  mail.add(indexesBeside(realPath(file)));
  notes.add(path.join(beside, 'runs'));
}

/** Registers a file with the users of a server: no tool may change it, or an agent could make itself a user. */
export function rememberUsers(file: string): void {
  mail.add(realPath(file));
}

/**
 * Returns the folder beside a journal file for what is known of documents. Outside of `.cadre` it has a hidden name, since a folder
 * `documents` there may be the user's.
 */
export function indexesBeside(journal: string): string {
  const beside = path.dirname(journal);
  return path.join(beside, path.basename(beside) === '.cadre' ? 'documents' : '.cadre-documents');
}

/** Returns the journal files, which tools may neither read nor write. */
export function engineJournals(): readonly string[] {
  return [...journals];
}

/** True when a real path is a folder with profiles of this process, or lies in one where profiles are read. */
export function isEngineProfile(absolute: string): boolean {
  return [...profiles].some((folder) => isReadIn(folder, absolute));
}

/** Returns the folders with profiles that a program with write access to these places could change. */
export function engineProfilesIn(places: readonly string[]): readonly string[] {
  return [...profiles].filter((folder) => places.some((place) => isWithin(place, folder) || isReadIn(folder, place)));
}

/** True when a path is read as part of a profiles folder; hidden entries are not, such as the workspaces in `.cadre`. */
function isReadIn(folder: string, absolute: string): boolean {
  if (!isWithin(folder, absolute)) return false;
  const names = path.relative(folder, absolute).split(path.sep);
  return !names.some((name) => name.startsWith('.') || name === 'node_modules');
}

/** True when a real path is a journal of this process. */
export function isEngineJournal(absolute: string): boolean {
  return journals.has(absolute);
}

/**
 * True when a real path holds requests of other processes to runs of this one, notes about runs, indexes of documents, or users of a
 * server: no tool may write there.
 */
export function isEngineMail(absolute: string): boolean {
  return [...mail].some((folder) => isWithin(folder, absolute)) || isNote(absolute);
}

/** Returns the folders of requests and of indexes, and the files with users, inside these places; no command may write to them. */
export function engineMailIn(places: readonly string[]): readonly string[] {
  return [...mail].filter((folder) => places.some((place) => isWithin(place, folder)));
}

/** True for a note about a run. A project that holds a journal may also have a folder `runs` for other files, which are not notes. */
function isNote(absolute: string): boolean {
  const folder = path.dirname(absolute);
  if (!notes.has(folder)) return false;
  return path.basename(path.dirname(folder)) === '.cadre' || /^run_\w+\.json$/.test(path.basename(absolute));
}

/** Resolves links in a path; for a path that does not exist yet, in its folder. */
function realPath(place: string): string {
  const absolute = path.resolve(place);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = path.dirname(absolute);
  return existsSync(folder) ? path.join(realpathSync(folder), path.basename(absolute)) : absolute;
}
