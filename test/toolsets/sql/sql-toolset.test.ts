import { execFileSync } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import { CadreError } from '../../../src/index.ts';
import { parseCsv } from '../../../src/toolsets/data/parse-csv.ts';
import { runSqlJob } from '../../../src/toolsets/sql/run-query.ts';
import { sqlToolset } from '../../../src/toolsets/sql/sql-toolset.ts';
import { testEngine } from '../../support/test-engine.ts';
import { toolContext } from '../../tools/tool-context.ts';

let workspace = '';
let database = '';

beforeAll(() => {
  const top = mkdtempSync(path.join(tmpdir(), 'cadre-sql-'));
  workspace = path.join(top, 'workspace');
  mkdirSync(workspace);
  database = path.join(workspace, 'birds.db');
  const db = new DatabaseSync(database);
  db.exec(`CREATE TABLE birds (id INTEGER PRIMARY KEY, name TEXT, size REAL, photo BLOB);
    INSERT INTO birds VALUES (1, 'crane', 120, x'00ff'), (2, 'heron', 95.5, NULL), (9007199254740993, 'a|b
c', NULL, NULL);
    CREATE VIEW large AS SELECT name FROM birds WHERE size > 100;
    CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('cranes fly far');`);
  db.close();
  writeFileSync(path.join(top, 'outside.db'), 'secret');
  symlinkSync(path.join(top, 'outside.db'), path.join(workspace, 'link.db'));
  writeFileSync(path.join(workspace, 'no.db'), 'this is a text, and long enough to be looked at as a file header would be');
  writeFileSync(path.join(workspace, 'sizes.csv'), 'name,weight,code\r\ncrane,5.5,007\r\n"heron, grey",2,010\r\n');
});

afterAll(() => rmSync(path.dirname(workspace), { recursive: true }));

function tool(name: string, settings = {}): EffectTool {
  const { tools } = sqlToolset.create({ name: 'sql', settings, toolName: (tool) => tool });
  return (tools as readonly EffectTool[]).find((each) => each.name === name) as EffectTool;
}

async function query(args: object, settings = {}, signal = new AbortController().signal): Promise<string> {
  return (await tool('query_database', settings).execute({ ...args }, toolContext({ workspace, signal }))) as string;
}

async function errorOf(promise: Promise<unknown>): Promise<string> {
  const thrown = await promise.catch((error: unknown) => error);
  return thrown instanceof CadreError ? `${thrown.code}: ${thrown.message}` : `no error: ${String(thrown)}`;
}

/** A query in this process: for what ends by itself. */
function here(sql: string, file: string | undefined = database): string {
  try {
    return JSON.stringify(
      runSqlJob({
        kind: 'query',
        sql,
        parameters: [],
        tables: [],
        maxRows: 5,
        maxChars: 1_000,
        ...(file === undefined ? {} : { database: file }),
      }),
    );
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

describe('sql', () => {
  it('[B.94] an agent lists tables and queries them, as data from outside', async () => {
    const { launch, model } = await testEngine({
      profile: 'tool_access_policy: { allowed_toolsets: [sql] }',
      workspace,
      replies: [
        {
          toolCalls: [
            { name: 'list_tables', args: { database: 'birds.db' } },
            { name: 'query_database', args: { database: 'birds.db', sql: 'SELECT id, name, size, photo FROM birds ORDER BY id' } },
          ],
        },
        { text: 'Done.' },
      ],
    });
    await (
      await launch()
    ).result;
    const results = (model.requests.at(-1)?.prompt ?? []).flatMap((message) => (message.role === 'tool' ? message.content : []));
    const texts = results.map((part) => (part.type === 'tool-result' && part.output.type === 'text' ? part.output.value : ''));
    expect(texts[0]).toContain(
      'birds (table): id INTEGER (key), name TEXT, size REAL, photo BLOB\nlarge (view): name TEXT\nnotes (virtual)',
    );
    expect(texts[1]).toContain(
      "| id | name | size | photo |\n| --- | --- | --- | --- |\n| 1 | crane | 120 | x'00ff' (2 bytes) |\n| 2 | heron | 95.5 | NULL |\n| 9007199254740993 | a\\|b c | NULL | NULL |\n\n(3 rows)",
    );
    expect(texts[1]).toContain('<untrusted_data');
  });

  it('CSV files are tables: with numbers as numbers, codes as texts, and joined with a database', async () => {
    const tables = { sizes: 'sizes.csv' };
    expect(await query({ tables, sql: 'SELECT code, weight + 1 AS more FROM sizes ORDER BY weight' })).toContain(
      '| 010 | 3 |\n| 007 | 6.5 |',
    );
    expect(
      await query({
        database: 'birds.db',
        tables,
        sql: 'SELECT weight FROM birds JOIN sizes USING (name) WHERE name = ?',
        parameters: ['crane'],
      }),
    ).toContain('| 5.5 |');
  });

  it.each([
    ['INSERT INTO birds (name) VALUES (1)'],
    ['UPDATE birds SET size = 1'],
    ['DELETE FROM birds'],
    ['DROP TABLE birds'],
    ['CREATE TABLE t (a)'],
    ['CREATE TEMP TABLE t (a)'],
    ["ATTACH '/etc/passwd' AS other"],
    ["ATTACH 'new.db' AS other"],
    ["VACUUM INTO 'copy.db'"],
    ['PRAGMA query_only = 0'],
    ['PRAGMA writable_schema = 1'],
    ["PRAGMA temp_store_directory = '/tmp'"],
    ['PRAGMA hard_heap_limit = 0'],
    ['BEGIN'],
    ["SELECT load_extension('/tmp/evil.so')"],
    ["SELECT fts3_tokenizer('simple')"],
    ["INSERT INTO notes (notes) VALUES ('rebuild')"],
    ['ANALYZE'],
    ['REINDEX'],
    ['SELECT * FROM birds; DELETE FROM birds'],
    ["SELECT readfile('/etc/passwd')"],
    ["SELECT writefile('x', 'y')"],
  ])('changes nothing and reaches nothing: %s', (sql) => {
    const before = statSync(database);
    expect(here(sql)).toMatch(
      /not authorized|authorization denied|readonly|no such function|only one statement|may not|prohibited/i,
    );
    expect(statSync(database)).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs });
    expect(here('SELECT count(*) FROM birds')).toContain('"3"');
  });

  it.each([
    ["SELECT body FROM notes WHERE notes MATCH 'cranes'", 'cranes fly far'],
    ['SELECT name FROM large', 'crane'],
    ["SELECT name FROM pragma_table_info('birds')", 'photo'],
    ['EXPLAIN QUERY PLAN SELECT * FROM birds', 'SCAN birds'],
    ['SELECT 1; -- and a comment', '"1"'],
    ['SELEC 1', 'SQLite: near "SELEC": syntax error'],
    ['SELECT * FROM absent', 'SQLite: no such table: absent'],
    ['SELECT hex(zeroblob(2000000000))', 'too big'],
    ["SELECT printf('%.*c', 3000, 'x')", 'x… (3000 characters)'],
    ['WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n', '"more":true'],
  ])('reads: %s', (sql, words) => {
    expect(here(sql)).toContain(words);
  });

  it.each([
    [{ sql: 'SELECT 1' }, 'TOOL_FAILED: Say what to query'],
    [{ sql: 'SELECT 1', database: '../outside.db' }, 'PATH_REFUSED'],
    [{ sql: 'SELECT 1', database: '/etc/passwd' }, 'PATH_REFUSED'],
    [{ sql: 'SELECT 1', database: 'link.db' }, 'PATH_REFUSED'],
    [
      { sql: 'SELECT 1', database: 'file:birds.db?mode=rwc' },
      'TOOL_FAILED: The database "file:birds.db?mode=rwc" cannot be opened: it does not exist',
    ],
    [{ sql: 'SELECT 1', database: 'missing.db' }, 'it does not exist'],
    [{ sql: 'SELECT 1', tables: { t: '../outside.db' } }, 'PATH_REFUSED'],
    [{ sql: 'SELECT 1', tables: { t: '.env' } }, 'PATH_REFUSED'],
    [{ sql: 'SELECT 1', database: '.cadre/journal.db' }, 'PATH_REFUSED'],
    [{ sql: 'SELECT 1', tables: { t: 'missing.csv' } }, 'missing.csv cannot be read: it does not exist'],
    [{ sql: 'SELECT 1', tables: { t: 'birds.db' } }, 'birds.db cannot be read'],
  ])('%j is refused', async (args, message) => {
    expect(await errorOf(query(args))).toContain(message);
  });

  it('a file that is no database says so', () => {
    expect(here('SELECT * FROM t', path.join(workspace, 'no.db'))).toBe('SQLite: file is not a database.');
  });

  it('a query that never ends is stopped, and so is one whose call is cancelled; no process is left', async () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const slow = errorOf(query({ sql: endless, database: 'birds.db' }, { timeout: 1 }));
    const abort = new AbortController();
    const cancelled = errorOf(query({ sql: endless, database: 'birds.db' }, {}, abort.signal));
    setTimeout(() => abort.abort(new CadreError('TOOL_CANCELLED', 'enough')), 300);
    expect(await slow).toBe('TOOL_FAILED: The query took longer than 1 s and was stopped.');
    expect(await cancelled).toBe('TOOL_CANCELLED: enough');
    const left = execFileSync('ps', ['-eo', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
    expect(left.filter((line) => line.includes('query-worker') && line.trim().startsWith(String(process.pid)))).toEqual([]);
  });
});

describe('CSV', () => {
  it.each([
    ['a,b\n1,2\n', { columns: ['a', 'b'], rows: [['1', '2']] }],
    ['a;b\r\n1;"x;\r\n""y"""\r\n', { columns: ['a', 'b'], rows: [['1', 'x;\r\n"y"']] }],
    ['a\tb\n1', { columns: ['a', 'b'], rows: [['1', '']] }],
    ['\ufeffa,A,\n1,2,3\n\n', { columns: ['a', 'A_2', 'column_3'], rows: [['1', '2', '3']] }],
    ['a,b\n"1"x,', { columns: ['a', 'b'], rows: [['1x', '']] }],
  ])('%j', (text, table) => {
    expect(parseCsv(text)).toEqual(table);
  });

  it.each([
    ['', 'its first row must name the columns'],
    ['a,b\n1,2\n1,2,3', 'line 3 has 3 cells, and there are 2 columns.'],
    ['a,b\n"1,2\n', 'the quote that begins in line 2 never ends.'],
  ])('%j is refused', (text, message) => {
    expect(() => parseCsv(text)).toThrow(message);
  });

  describe('files that SQLite reads beside a database', () => {
    /** A database outside of the workspace whose last rows are in its -wal file, as long as `writer` is open. */
    const outside = (): { readonly file: string; readonly writer: DatabaseSync } => {
      const file = path.join(mkdtempSync(path.join(path.dirname(workspace), 'outside-')), 'private.db');
      const writer = new DatabaseSync(file);
      writer.exec(
        'PRAGMA journal_mode = WAL; CREATE TABLE t (v TEXT); PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0',
      );
      copyFileSync(file, path.join(workspace, 'copy.db'));
      writer.exec("INSERT INTO t VALUES ('private row')");
      return { file, writer };
    };
    const rows = { sql: 'SELECT v FROM t', database: 'copy.db' };
    const made: string[] = [];
    const inside = (name: string): string => {
      made.push(path.join(workspace, name));
      return path.join(workspace, name);
    };
    afterEach(() => {
      for (const file of ['copy.db', 'copy.db-wal', 'copy.db-shm', ...made.splice(0)])
        rmSync(path.resolve(workspace, file), { force: true });
    });

    it.each([
      ['a hard link', linkSync],
      ['a symbolic link', symlinkSync],
    ])('F99: the -wal of another database, as %s, is not read', async (_, link) => {
      const { file, writer } = outside();
      link(`${file}-wal`, inside('copy.db-wal'));
      expect(await errorOf(query(rows))).toMatch(/^PATH_REFUSED: .*copy\.db-wal.*copy the database instead/);
      expect(
        await errorOf(tool('list_tables').execute({ database: 'copy.db' }, toolContext({ workspace })) as Promise<unknown>),
      ).toMatch(/^PATH_REFUSED/);
      writer.close();
    });

    it.each(['-journal', '-shm'])('F99: a %s with a second name is refused, too', async (suffix) => {
      outside().writer.close();
      writeFileSync(inside('elsewhere'), '');
      linkSync(path.join(workspace, 'elsewhere'), inside(`copy.db${suffix}`));
      expect(await errorOf(query(rows))).toMatch(/^PATH_REFUSED/);
    });

    it('F99: a database with a second name is refused: it may be one that is not to be read', async () => {
      const { file, writer } = outside();
      writer.close();
      linkSync(file, inside('linked.db'));
      expect(await errorOf(query({ ...rows, database: 'linked.db' }))).toMatch(/^PATH_REFUSED: .*linked\.db/);
    });

    it('reads a database while another program writes it, with what is in its own -wal', async () => {
      const writer = new DatabaseSync(inside('busy.db'));
      writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (v TEXT); INSERT INTO t VALUES ('a new row')");
      expect(await query({ ...rows, database: 'busy.db' })).toContain('a new row');
      writer.close();
    });
  });
});
