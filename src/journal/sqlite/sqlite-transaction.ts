import type { DatabaseSync } from 'node:sqlite';

/** Runs `work` in one write transaction: all of it is applied, or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // On a full disk SQLite rolls back by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
