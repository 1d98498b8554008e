import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { CadreError } from '../../core/error.ts';
import { corruptJournal, toStoreError } from './sqlite-failure.ts';
import { migrate, oldestReadable, readVersion, schemaVersion } from './sqlite-schema.ts';
import { createJournalFile } from './sqlite-create.ts';

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
    database = readOnly ? openForReading(path) : new DatabaseSync(path, { timeout: busyTimeoutMs });
    refuseForeignParts(database, path);
    const version = readVersion(database, path);
    if (version < schemaVersion && !readOnly) migrate(database, path);
    else assertReadable(path, version);
    // From here on `LockWaits` waits for locks: SQLite's own waiting blocks the event loop.
    if (!readOnly) database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0');
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
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    if (existsSync(`${path}-wal`)) throw error;
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return new DatabaseSync(url, { readOnly: true });
  }
}
