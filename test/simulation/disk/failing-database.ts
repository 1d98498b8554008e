import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** SQLite's codes for a disk without room, and for one that fails (sqlite.org/rescode.html). */
const codes = { full: 13, writeFailed: 778 } as const;

/** Returns the failure of the next write to a database, if any; called before each write. */
export type WriteFate = () => keyof typeof codes | undefined;

/**
 * Makes writes to an open database fail as in SQLite on a failing disk: a single statement is not executed, a transaction is
 * rolled back by its COMMIT. Reads still work. The returned function ends that and releases everything `decides` holds: a
 * database is never collected while an object it refers to holds one of its statements.
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
