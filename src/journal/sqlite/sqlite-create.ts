import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CadreError } from '../../core/error.ts';
import { createLayout } from './sqlite-schema.ts';
import { syncDirectory } from './sync-directory.ts';

/**
 * Creates an empty journal and its directories. It is written under a temporary name and then renamed: no reader ever sees half a
 * journal, and an empty file can only mean damage.
 *
 * 1. Until the rename, everything is in one file: the layout is written with a rollback journal, since a write-ahead log would stay
 *    behind under the temporary name if the disk had no space to merge it.
 * 2. A failure leaves nothing behind.
 */
export function createJournalFile(path: string): void {
  makeFolders(dirname(path));
  const draft = `${path}.new-${process.pid}-${Date.now().toString(36)}`;
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    const database = new DatabaseSync(draft);
    try {
      database.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
      createLayout(database);
      const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
      if (mode !== 'wal')
        throw new CadreError('STORE_FAILED', `${path}: the file system cannot hold a journal: SQLite has no write-ahead log there`);
    } finally {
      database.close();
    }
    publish(draft, path);
  } finally {
    for (const side of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${side}`, { force: true });
  }
}

/** Makes a folder and its parents one by one: where none can be made (as below /proc), Node's recursive form never returns. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
    syncDirectory(dirname(folder));
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/** Gives the draft its real name, unless another process was faster. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (existsSync(path)) return;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Some file systems have no hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
    renameSync(draft, path);
  }
}
