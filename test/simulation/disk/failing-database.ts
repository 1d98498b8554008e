import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** SQLite's codes for a disk without room, and for one that fails (sqlite.org/rescode.html). */
const codes = { full: 13, writeFailed: 778 } as const;

/** Whether a write of a database fails now, and how; asked before each. */
export type WriteFate = () => keyof typeof codes | undefined;

/**
 * Lets writes of an open database fail as SQLite lets them fail when its disk does: a statement of its own is not executed, a
 * transaction is rolled back by its COMMIT. Reading goes on. The function it returns ends that, and lets go of what `decides` holds: a
 * database is never collected while what it refers to holds a statement of it.
 */
export function failWrites(database: DatabaseSync, decides: WriteFate): () => void {
  let deciding: WriteFate | undefined = decides;
  const fate: WriteFate = () => deciding?.();
  const exec = database.exec.bind(database);
  const prepare = database.prepare.bind(database);
  database.exec = (sql) => {
    if (/^\s*COMMIT/i.test(sql)) {
      const failure = fate();
      if (failure !== undefined) {
        exec('ROLLBACK');
        throw sqliteError(failure);
      }
    }
    exec(sql);
  };
  database.prepare = (sql) => {
    const statement = prepare(sql);
    if (/^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)) failRuns(database, statement, fate);
    return statement;
  };
  return () => {
    deciding = undefined;
  };
}

function failRuns(database: DatabaseSync, statement: StatementSync, fate: WriteFate): void {
  const run = statement.run.bind(statement) as (...values: SQLInputValue[]) => ReturnType<StatementSync['run']>;
  statement.run = ((...values: SQLInputValue[]) => {
    // What a transaction writes stays in memory until it commits.
    const failure = database.isTransaction ? undefined : fate();
    if (failure !== undefined) throw sqliteError(failure);
    return run(...values);
  }) as StatementSync['run'];
}

function sqliteError(failure: keyof typeof codes): Error {
  const errstr = failure === 'full' ? 'database or disk is full' : 'disk I/O error';
  return Object.assign(new Error(errstr), { code: 'ERR_SQLITE_ERROR', errcode: codes[failure], errstr });
}
