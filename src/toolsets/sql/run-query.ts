import { constants, DatabaseSync } from 'node:sqlite';
import { CadreError, describeThrown } from '../../core/error.ts';
import { openDatabase } from '../../files/database-file.ts';
import { isNumericColumn, parseCsv, type CsvTable } from '../data/parse-csv.ts';
import { showCell, type CsvSource, type QueryResult, type SqlJob, type TableInfo } from './query-job.ts';

/** Pragmas that only read. */
const readPragmas: ReadonlySet<string> = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'foreign_key_list',
  'data_version',
]);

/**
 * Does one job on a database, without being able to change it: opened read-only, `query_only`, and with an authorizer that permits only
 * reading. Blocks until it is done, so it runs in a separate process, which bounds its memory: SQLite sorts in memory, never in temporary
 * files, and Node's is built so that its own limits on memory do nothing.
 *
 * @throws CadreError `TOOL_FAILED` with the message of SQLite
 */
export function runSqlJob(job: SqlJob): QueryResult | readonly TableInfo[] {
  const database = open(job.database);
  try {
    if (job.kind === 'tables') return readTables(database);
    for (const table of job.tables) importCsv(database, table);
    closeToWriting(database);
    return query(database, job);
  } catch (thrown) {
    throw thrown instanceof CadreError ? thrown : new CadreError('TOOL_FAILED', inWords(thrown), { cause: thrown });
  } finally {
    database.close();
  }
}

function open(path: string | undefined): DatabaseSync {
  const database =
    path === undefined ? new DatabaseSync(':memory:') : openDatabase(path, { readOnly: true, allowExtension: false });
  database.enableDefensive(true);
  database.exec(`PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF`);
  return database;
}

function closeToWriting(database: DatabaseSync): void {
  database.exec('PRAGMA query_only = 1');
  database.setAuthorizer((action, first, second) => {
    const { SQLITE_OK, SQLITE_DENY } = constants;
    switch (action) {
      case constants.SQLITE_SELECT:
      case constants.SQLITE_READ:
      case constants.SQLITE_RECURSIVE:
        return SQLITE_OK;
      case constants.SQLITE_FUNCTION:
        return second === 'load_extension' || second === 'fts3_tokenizer' ? SQLITE_DENY : SQLITE_OK;
      case constants.SQLITE_PRAGMA:
        return readPragmas.has((first ?? '').toLowerCase()) ? SQLITE_OK : SQLITE_DENY;
      default:
        return SQLITE_DENY;
    }
  });
}

function query(database: DatabaseSync, job: SqlJob & { readonly kind: 'query' }): QueryResult {
  const statement = database.prepare(job.sql);
  const rest = job.sql.slice(statement.sourceSQL.length).replace(/--.*$|\/\*[\s\S]*?\*\//gm, '');
  if (rest.replace(/[\s;]/g, '') !== '')
    throw new CadreError('TOOL_FAILED', 'only one statement at a time; leave out what follows the first ";".');
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const columns = statement.columns().map(({ name }) => name);
  const rows: string[][] = [];
  let chars = 0;
  for (const row of statement.iterate(...job.parameters)) {
    if (rows.length === job.maxRows || chars > job.maxChars) return { columns, rows, more: true };
    const cells = (row as unknown as readonly unknown[]).map((value) => showCell(value));
    for (const cell of cells) chars += cell.length + 3;
    rows.push(cells);
  }
  return { columns, rows, more: false };
}

function importCsv(database: DatabaseSync, { name, file, text }: CsvSource): void {
  let table: CsvTable;
  try {
    table = parseCsv(text);
  } catch (thrown) {
    throw new CadreError('TOOL_FAILED', `${file} is no table: ${describeThrown(thrown).replace(/^CadreError: /, '')}`, {
      cause: thrown,
    });
  }
  const { columns, rows } = table;
  const types = columns.map((_, index) => (isNumericColumn(table, index) ? 'NUMERIC' : 'TEXT'));
  database.exec(
    `CREATE TEMP TABLE ${quoted(name)} (${columns.map((column, index) => `${quoted(column)} ${types[index]}`).join(', ')})`,
  );
  const insert = database.prepare(`INSERT INTO temp.${quoted(name)} VALUES (${columns.map(() => '?').join(', ')})`);
  database.exec('BEGIN');
  // An empty cell is NULL. In a column of texts it could also mean an empty text, but CSV cannot express the difference.
  for (const row of rows) insert.run(...row.map((cell) => (cell === '' ? null : cell)));
  database.exec('COMMIT');
}

function readTables(database: DatabaseSync): readonly TableInfo[] {
  const found = database
    .prepare(
      `SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type <> 'shadow' ORDER BY name LIMIT 500`,
    )
    .all();
  const columns = database.prepare('SELECT name, type, pk FROM pragma_table_xinfo(?) LIMIT 500');
  return found.map(({ name, type }) => ({
    name: String(name),
    kind: String(type),
    columns: columns.all(name as string).map((column) => ({
      name: String(column['name']),
      type: String(column['type']),
      key: column['pk'] !== 0,
    })),
  }));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function inWords(thrown: unknown): string {
  const words = describeThrown(thrown).replace(/^Error: /, '');
  if (/not authorized|authorization denied|readonly|prohibited/i.test(words))
    return `SQLite: ${words}. Only reading is allowed: SELECT, WITH and EXPLAIN.`;
  return `SQLite: ${words}.`;
}
