import type { DatabaseSync } from 'node:sqlite';

/** Runs `work` in one write transaction: all of it is applied, or nothing. Within another it is a part that fails on its own. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return inPart(database, work);
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

function inPart<T>(database: DatabaseSync, work: () => T): T {
  database.exec('SAVEPOINT part');
  try {
    const result = work();
    database.exec('RELEASE part');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK TO part; RELEASE part');
    throw error;
  }
}
