import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CadreError } from '../../core/error.ts';
import { makeDatabase, openDatabase, openImmutableDatabase } from '../../files/database-file.ts';
import { makeFolders } from '../../files/make-folder.ts';
import { corruptJournal, toStoreError } from './sqlite-failure.ts';
import { addListIndexes, migrate, oldestReadable, readVersion, schemaVersion, createLayout } from './sqlite-schema.ts';
import { dirname } from 'node:path';
import { syncDirectory } from './sync-directory.ts';

/** Milliseconds that opening waits for another process's write. */
const busyTimeoutMs = 5000;

/** Opens a journal file ready for use: creates a new one, migrates an older one to the newest layout. */
export function openJournalFile(path: string, readOnly: boolean): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (!existsSync(path)) {
      if (readOnly) throw new CadreError('STORE_FAILED', `${path}: the file to read does not exist`, { details: { file: path } });
      createJournalFile(path);
    }
    refuseUnreadable(path);
    database = readOnly ? openForReading(path) : openDatabase(path, { timeout: busyTimeoutMs });
    refuseForeignParts(database, path);
    const version = readVersion(database, path);
    if (version < schemaVersion && !readOnly) migrate(database, path);
    else assertReadable(path, version);
    // From here on `LockWaits` waits for locks: SQLite's own waiting blocks the event loop.
    if (!readOnly) database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0');
    if (!readOnly) addListIndexes(database);
    return database;
  } catch (error) {
    database?.close();
    throw toStoreError(error, path, 'opening the journal');
  }
}

/** Clauses that no journal table has and that change the effect of a write. */
const foreignClauses = ['CONFLICT', 'REFERENCES', 'GENERATED', 'CHECK'];

/** Refuses triggers, views and table rules: in a file from elsewhere they could alter what runs write, and a journal has none. */
function refuseForeignParts(database: DatabaseSync, path: string): void {
  const found = database
    .prepare(
      `SELECT CASE type WHEN 'table' THEN 'table with extra rules' ELSE type END AS what FROM sqlite_schema
       WHERE type IN ('trigger', 'view') OR (type = 'table' AND (${foreignClauses.map((clause) => `sql LIKE '%${clause}%'`).join(' OR ')}))
       LIMIT 1`,
    )
    .get();
  if (found === undefined) return;
  throw corruptJournal(path, `the file has a ${String(found['what'])}, which no journal has: it would change what runs write`);
}

/** Refuses to read a layout that would need a migration; later ones only lack tables and columns that read as empty. */
function assertReadable(path: string, version: number): void {
  if (version >= oldestReadable) return;
  throw new CadreError(
    'STORE_FAILED',
    `${path}: the journal has the older layout ${version}, which cannot be migrated to ${schemaVersion} while only reading; open it once for writing`,
    { details: { file: path, version } },
  );
}

function refuseUnreadable(path: string): void {
  const stat = statSync(path);
  if (!stat.isFile())
    throw new CadreError('STORE_FAILED', `${path}: this is not a file; name a file for the journal`, { details: { file: path } });
  if (stat.size === 0) throw corruptJournal(path, 'the file is empty, which a journal never is; remove it to begin a new one');
}

/** Opens for reading, next to a writer or not. Where not even SQLite's side files can be written, opens the file as immutable. */
function openForReading(path: string): DatabaseSync {
  const database = openDatabase(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    if (existsSync(`${path}-wal`)) throw error;
    return openImmutableDatabase(path);
  }
}

/**
 * Creates an empty journal and its directories. It is written under a temporary name and then renamed: no reader ever sees half a
 * journal, and an empty file can only mean damage.
 *
 * 1. Until the rename, everything is in one file: the layout is written with a rollback journal, since a write-ahead log would stay
 *    behind under the temporary name if the disk had no space to merge it.
 * 2. A failure leaves nothing behind.
 */
function createJournalFile(path: string): void {
  const folder = makeFolderOf(path);
  // The names of new folders survive a power cut, too.
  for (let [at, left] = [dirname(folder.path), folder.made]; left > 0; [at, left] = [dirname(at), left - 1]) syncDirectory(at);
  makeDatabase(path, (database) => {
    database.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    createLayout(database);
    const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
    if (mode !== 'wal')
      throw new CadreError('STORE_FAILED', `${path}: the file system cannot hold a journal: SQLite has no write-ahead log there`);
  });
}

function makeFolderOf(path: string): ReturnType<typeof makeFolders> {
  try {
    return makeFolders(dirname(path), 0o700);
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    const reason = String(thrown.details['reason'] ?? thrown.message);
    throw new CadreError('STORE_FAILED', `${path}: its folder cannot be made: ${reason}`, {
      details: { file: path },
      cause: thrown,
    });
  }
}
