import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import type { ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import { readDataFile } from '../data/read-data-file.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { besideDatabase } from '../../files/database-file.ts';
import { errorCode } from '../../files/error-code.ts';
import type { PathTest } from '../../files/glob-pattern.ts';
import { compileUnreadable, unreadableOf, unreadableSetting } from '../../files/guard/unreadable.ts';
import { refusePath } from '../../files/inside-path.ts';
import { resolveReadable, workspaceName } from '../workspace/workspace-files.ts';
import { durationOf, durationSetting } from '../settings.ts';
import { runChild } from '../worker/run-child.ts';
import type { CsvSource, QueryResult, SqlJob, TableInfo } from './query-job.ts';

interface SqlSettings {
  readonly timeoutMs: number;
  readonly maxRows: number;
  readonly isUnreadable: PathTest;
}

/** Maximum number of characters shown of a result. */
const maxChars = 30_000;
const maxTables = 10;
/** Most memory of the process that runs a query, in megabytes. */
const maxMemoryMb = 512;
const advice =
  'Narrow it: filter before it sorts, groups or joins, take fewer columns, and put no long texts together (group_concat, json_group_array).';

const databaseParameter = { type: 'string', description: 'The SQLite file, a path in the workspace.' };

/** Toolset `sql`: queries SQLite files of the workspace, and CSV files as tables. */
export const sqlToolset: ToolsetKind = {
  kind: 'sql',
  description: 'Reads SQLite databases and CSV files of the workspace with SQL.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      timeout: durationSetting('Longest time of a query; default 10s.'),
      max_rows: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Most rows that are shown; default 200.' },
      unreadable: unreadableSetting,
    },
  },
  tools: ['list_tables', 'query_database'],
  create: (request) => {
    const maxRows = request.settings['max_rows'];
    const settings = {
      timeoutMs: durationOf(request.settings, 'timeout', 10_000),
      maxRows: typeof maxRows === 'number' ? maxRows : 200,
      isUnreadable: compileUnreadable(unreadableOf(request)),
    };
    return { tools: [listTables(request, settings), queryDatabase(request, settings)] };
  },
};

function listTables(request: ToolsetRequest, settings: SqlSettings): EffectTool {
  return defineTool({
    name: request.toolName('list_tables'),
    ...common(request, settings),
    description: 'Lists the tables and views of an SQLite file with their columns.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['database'],
      properties: { database: databaseParameter },
    },
    async execute(args, context) {
      const database = await pathOfDatabase(context, String(args['database']), settings);
      const tables = (await run({ kind: 'tables', database }, settings, context)) as readonly TableInfo[];
      if (tables.length === 0) return 'The database has no tables.';
      return tables.map(({ name, kind, columns }) => `${name} (${kind}): ${columns.map(describeColumn).join(', ')}`).join('\n');
    },
  });
}

function queryDatabase(request: ToolsetRequest, settings: SqlSettings): EffectTool {
  return defineTool({
    name: request.toolName('query_database'),
    ...common(request, settings),
    description:
      'Runs one SELECT on an SQLite file of the workspace, on CSV files of the workspace as tables, or on both. Nothing can be changed.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['sql'],
      properties: {
        sql: { type: 'string', minLength: 1, maxLength: 100_000, description: 'One statement in the SQL of SQLite; values as ?' },
        parameters: {
          type: 'array',
          maxItems: 100,
          items: { type: ['string', 'number', 'null'] },
          description: 'The values for ?',
        },
        database: databaseParameter,
        tables: {
          type: 'object',
          maxProperties: maxTables,
          additionalProperties: { type: 'string' },
          description:
            'CSV files as tables: the name of each table with its path in the workspace. The first row names the columns.',
        },
      },
    },
    async execute(args, context) {
      const { sql, parameters, database, tables } = args;
      if (database === undefined && tables === undefined)
        throw new CadreError('TOOL_FAILED', 'Say what to query: `database` (an SQLite file), `tables` (CSV files), or both.');
      const job: SqlJob = {
        kind: 'query',
        sql: String(sql),
        parameters: (parameters ?? []) as readonly (string | number | null)[],
        tables: await readTables(context.workspace, tables, settings),
        maxRows: settings.maxRows,
        maxChars,
        ...(typeof database === 'string' ? { database: await pathOfDatabase(context, database, settings) } : {}),
      };
      return toTable((await run(job, settings, context)) as QueryResult);
    },
  });
}

function common(request: ToolsetRequest, { timeoutMs }: SqlSettings) {
  return {
    toolset: request.name,
    effect: 'pure',
    trust: 'untrusted',
    timeout_ms: timeoutMs + 10_000,
    max_result_chars: maxChars * 2,
  } as const;
}

/**
 * Runs a job in a separate process. SQLite opens the database and the files beside it by their names, so they are examined before
 * and after: what was read is given only if it was the same files all the time.
 */
async function run(job: SqlJob, { timeoutMs }: SqlSettings, { signal }: ToolContext): Promise<unknown> {
  const file = new URL('./query-worker', import.meta.url);
  const before = job.database === undefined ? undefined : await identify(job.database);
  const result = await runChild({ file, input: job, timeoutMs, maxMemoryMb, signal, what: 'The query', advice });
  if (job.database !== undefined && (await identify(job.database)) !== before)
    throw refusePath(path.basename(job.database), 'it was replaced by another file during the query', workspaceName);
  return result;
}

/**
 * Returns a text that names the database file on the disk.
 *
 * @throws CadreError `PATH_REFUSED` when it, or a file that SQLite would read beside it, has another name elsewhere (a hard link) or is no
 * regular file: the content would be that of another database, perhaps of one that must not be read
 */
async function identify(database: string): Promise<string> {
  const [own, ...beside] = await Promise.all(['', ...besideDatabase].map((suffix) => examine(`${database}${suffix}`)));
  for (const found of [own, ...beside])
    if (found !== undefined && (!found.isFile() || found.nlink > 1))
      throw refusePath(
        path.basename(found.file),
        'SQLite would read it, and it is a link or has a second name elsewhere (a hard link); copy the database instead of linking it',
        workspaceName,
      );
  return own === undefined ? 'missing' : `${own.dev}:${own.ino}`;
}

async function examine(file: string): Promise<(Stats & { readonly file: string }) | undefined> {
  try {
    return Object.assign(await lstat(file), { file });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function pathOfDatabase({ workspace }: ToolContext, requested: string, settings: SqlSettings): Promise<string> {
  const { absolute, found } = await resolveReadable(workspace, requested, settings);
  if (found === 'file') return absolute;
  const reason = found === 'missing' ? 'it does not exist' : `it is no file`;
  throw new CadreError('TOOL_FAILED', `The database ${JSON.stringify(requested)} cannot be opened: ${reason}.`);
}

async function readTables(workspace: string, tables: JsonValue | undefined, settings: SqlSettings): Promise<readonly CsvSource[]> {
  const named: JsonObject = isJsonObject(tables) ? tables : {};
  return await Promise.all(
    Object.entries(named).map(async ([name, file]) => ({
      name,
      file: String(file),
      text: await readDataFile(workspace, String(file), settings),
    })),
  );
}

function describeColumn({ name, type, key }: TableInfo['columns'][number]): string {
  return [name, ...(type === '' ? [] : [type]), ...(key ? ['(key)'] : [])].join(' ');
}

function toTable({ columns, rows, more }: QueryResult): string {
  if (rows.length === 0) return `No rows. Columns: ${columns.join(', ')}`;
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/(?<!\s)\s*\n\s*/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [line(columns), `|${' --- |'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
  const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
  return `${table}\n\n${more ? `(the first ${count}; there are more: narrow the query, aggregate, or use LIMIT and OFFSET)` : `(${count})`}`;
}
