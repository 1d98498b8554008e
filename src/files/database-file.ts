import {
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  constants,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  closeSync,
} from 'node:fs';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CadreError } from '../core/error.ts';
import { errorCode } from './error-code.ts';
import { showPlace } from './project-place.ts';

/** What SQLite keeps beside a database, under its name with these endings. */
export const besideDatabase = ['-wal', '-shm', '-journal'];

/**
 * Opens a database file. SQLite opens its files by their names, so that folders cannot be held open for it: callers check the
 * way to the file (see `placeOf`). The file itself, and what SQLite keeps beside it, must be regular files; for writing, files
 * without another name (a hard link would be changed under both, and SQLite would lock each on its own).
 *
 * @throws CadreError `PATH_REFUSED`; otherwise the error of SQLite
 */
export function openDatabase(file: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  const before = checkFiles(file, options.readOnly === true);
  const database = new DatabaseSync(file, options);
  const after = identityOf(file);
  if (before === undefined || before === after) return database;
  database.close();
  throw refused(file, 'it was exchanged while it was being opened');
}

/** Opens a database for reading where not even the files beside it can be written; nothing else may write it meanwhile. */
export function openImmutableDatabase(file: string): DatabaseSync {
  checkFiles(file, true);
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

/**
 * Makes a database whole or not at all: under another name in the same folder, which must exist, and then under its own, unless another
 * process was faster. `fill` leaves everything in the one file. A failure leaves nothing behind.
 *
 * @throws CadreError `PATH_REFUSED` for a link; otherwise the error of SQLite or of the system
 */
export function makeDatabase(file: string, fill: (database: DatabaseSync) => void): void {
  checkFiles(file, false);
  const draft = `${file}${draftMark}${process.pid}-${Date.now().toString(36)}`;
  closeSync(openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600));
  try {
    const database = new DatabaseSync(draft);
    try {
      fill(database);
    } finally {
      database.close();
    }
    publish(draft, file);
  } finally {
    removeDatabase(draft);
  }
}

/** Removes a database and what SQLite keeps beside it; of a link, the link itself. */
export function removeDatabase(file: string): void {
  for (const side of ['', ...besideDatabase]) rmSync(`${file}${side}`, { force: true });
}

/** Opens the write-ahead log of an open database, to sync it. The caller closes the descriptor. */
export function openLog(file: string): number {
  return openSync(`${file}-wal`, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
}

const draftMark = '.new-';

/** Gives the draft its real name, unless another process was faster. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (existsSync(file)) return;
    const code = errorCode(error);
    // Some file systems have no hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
    renameSync(draft, file);
  }
}

/** Checks a database file and those beside it; returns the identity of the file, undefined when it does not exist yet. */
function checkFiles(file: string, isRead: boolean): string | undefined {
  // SQLite names the files beside a linked one after its target.
  const real = existsSync(file) ? realpathSync(file) : file;
  for (const side of ['', ...besideDatabase]) {
    const place = `${real}${side}`;
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (found.isSymbolicLink()) throw refused(place, 'it is a symbolic link');
    if (!found.isFile()) throw refused(place, 'it is not a regular file');
    if (!isRead && found.nlink > 1 && (side !== '' || !isBeingMade(real, found)))
      throw refused(place, `it has ${found.nlink} names (hard links), and what is written under one would change the other`);
  }
  return identityOf(file);
}

/** True when the other name of a file is that of a draft beside it, which its process is about to remove. */
function isBeingMade(file: string, { ino, nlink }: { readonly ino: number; readonly nlink: number }): boolean {
  const [folder, begin] = [path.dirname(file), `${path.basename(file)}${draftMark}`];
  const drafts = readdirSync(folder).filter((name) => name.startsWith(begin));
  const own = drafts.filter((name) => lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.ino === ino);
  // The draft may have been removed between the two looks.
  return own.length + 1 >= nlink || (lstatSync(file, { throwIfNoEntry: false })?.nlink ?? 1) === 1;
}

function identityOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const { dev, ino } = lstatSync(realpathSync(file), { bigint: true });
  return `${dev}:${ino}`;
}

function refused(place: string, reason: string): CadreError {
  return new CadreError('PATH_REFUSED', `The database ${showPlace(place)} is not opened: ${reason}. Remove it, or name another.`, {
    details: { path: showPlace(place), reason },
  });
}
