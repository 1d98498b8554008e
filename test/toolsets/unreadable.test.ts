import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInToolsets } from '../../src/engine/toolsets/toolset-kinds.ts';
import { compileUnreadable } from '../../src/files/guard/unreadable.ts';
import { testEngine } from '../support/test-engine.ts';
import { isInstalled, whyNoSandbox } from '../tools/toolset-under-test.ts';

const canary = 'canary-40';
const noSandbox = whyNoSandbox();
let workspace = '';

function putDatabase(file: string): void {
  mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
  const db = new DatabaseSync(path.join(workspace, file));
  db.exec(`CREATE TABLE t (word TEXT); INSERT INTO t VALUES ('${canary}')`);
  db.close();
}

beforeAll(() => {
  workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-unreadable-')));
  for (const file of ['private/a.csv', 'private/deep/b.csv', 'hidden.csv', 'plans/x.secret.csv', '.env']) {
    mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
    writeFileSync(path.join(workspace, file), `word\n${canary}\n`);
  }
  writeFileSync(path.join(workspace, 'open.csv'), 'word\nopen-word\n');
  writeFileSync(path.join(workspace, 'page.html'), '<a href="private/a.csv">a</a>');
  for (const file of ['private/c.db', 'hidden.db']) putDatabase(file);
});

afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const globs = '[private, "hidden.*", "*.secret.csv"]';
const kinds = ['workspace', 'links', 'knowledge', 'sql', 'charts', 'shell', 'python'];

/** Calls a tool of a team whose `workspace` does not read some files; gives what the model is shown of each call. */
async function resultsOf(calls: readonly object[], toolsets: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const declared = { workspace: `{ unreadable: ${globs} }`, ...toolsets };
  const { engine, launch } = await testEngine({
    profile: `tool_access_policy: { allowed_toolsets: [${kinds.join(', ')}] }\ntool_gates: [{ id: yes, verdict: allow }]\n`,
    files: Object.entries(declared).map(([name, settings]) => ({
      path: `toolsets/${name}.yaml`,
      text: `name: ${name}\ntype: toolset\nkind: ${name.split('_')[0]}\nsettings: ${settings}\n`,
    })),
    workspace,
    replies: [{ toolCalls: calls as never }, { text: 'done' }],
  });
  try {
    const run = await launch();
    await run.settled();
    const turn = run.turns().find(({ toolInteractions }) => toolInteractions.length > 0);
    return (turn?.toolInteractions ?? []).map((call) => JSON.stringify(call));
  } finally {
    await engine.close();
  }
}

/** Words of a refusal, or of a search that found nothing. */
const refusal = /PATH_REFUSED|not authorized|may not be read|Nothing found|Nothing is indexed|no file/i;

const spec = { data: { name: 't' }, mark: 'bar', encoding: { x: { field: 'word', type: 'nominal' } } };
const files = ['private/a.csv', 'private/deep/b.csv', 'hidden.csv', 'plans/x.secret.csv', 'PRIVATE/a.csv', '.env'];

describe('F40: what a workspace does not read', () => {
  it('no file tool, query, chart, index or check of links reads, whatever it is called', async () => {
    const calls = [
      // Its own list replaces the default one.
      ...files.filter((file) => file !== '.env').map((file) => ({ name: 'read_file', args: { path: file } })),
      { name: 'check_links', args: { path: 'page.html' } },
      { name: 'search_files', args: { query: 'canary-' } },
      ...files.map((file) => ({ name: 'query_database', args: { sql: 'SELECT * FROM t', tables: { t: file } } })),
      ...['private/c.db', 'hidden.db'].flatMap((database) => [
        { name: 'query_database', args: { sql: 'SELECT * FROM t', database } },
        { name: 'list_tables', args: { database } },
      ]),
      { name: 'query_database', args: { sql: `ATTACH '${path.join(workspace, 'hidden.db')}' AS h`, tables: { t: 'open.csv' } } },
      ...files.map((file) => ({ name: 'draw_chart', args: { spec, file: 'chart', tables: { t: file } } })),
      { name: 'draw_chart', args: { spec, file: 'private/chart', tables: { t: 'open.csv' } } },
      ...['private/a.csv', 'hidden.csv', 'private'].map((file) => ({ name: 'index_documents', args: { path: file, glob: '**' } })),
      { name: 'search_knowledge', args: { query: canary } },
    ];
    const results = await resultsOf(calls);
    expect(results).toHaveLength(calls.length);
    for (const [index, result] of results.entries()) {
      expect(result.replaceAll(`"${canary}"`, ''), JSON.stringify(calls[index])).not.toContain(canary);
      expect(result, JSON.stringify(calls[index])).toMatch(refusal);
    }
  });

  it('what is not on the list is read by all of them', async () => {
    const results = await resultsOf([
      { name: 'read_file', args: { path: 'open.csv' } },
      { name: 'query_database', args: { sql: 'SELECT * FROM t', tables: { t: 'open.csv' } } },
      { name: 'draw_chart', args: { spec, file: 'drawn', tables: { t: 'open.csv' } } },
    ]);
    expect(results[0]).toContain('open-word');
    expect(results[1]).toContain('open-word');
    expect(results[2]).toContain('Drawn: drawn.svg');
  });

  it('`unreadable` of a toolset of its own stands in place of it', async () => {
    const query = (name: string, file: string) => ({ name, args: { sql: 'SELECT * FROM t', tables: { t: file } } });
    const results = await resultsOf(
      ['private/a.csv', 'open.csv', '.env'].map((file) => query('query_database', file)),
      { sql: '{ unreadable: [open.csv] }' },
    );
    expect(results.map((result) => [result.includes(canary), result.includes('PATH_REFUSED')])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  it('the usual list holds besides that of another toolset, and the folder of the engine always', () => {
    const places = ['.env', 'a/.npmrc', 'private/x', '.cadre/journal.db', 'open.csv'];
    expect(places.map(compileUnreadable({ others: ['private'] }))).toEqual([true, true, true, true, false]);
    expect(places.map(compileUnreadable({ own: ['private'], others: [] }))).toEqual([false, false, true, true, false]);
    expect(places.map(compileUnreadable({ own: [], others: ['private'] }))).toEqual([false, false, false, true, false]);
  });

  it('every kind of toolset that reads files of the workspace has the setting', async () => {
    const having = await Promise.all(
      Object.entries(builtInToolsets).map(async ([kind, { load }]) =>
        'unreadable' in ((await load()).settings['properties'] as object) ? [kind] : [],
      ),
    );
    expect(having.flat().toSorted()).toEqual([...kinds, 'mcp'].toSorted());
  });
});

describe.skipIf(noSandbox !== undefined)('F40: in the sandbox', () => {
  const command = `cat ${files.join(' ')} hidden.db private/c.db; grep -r ${canary} .; cp -r private copy; cat copy/*; mv private moved; cat moved/*
ln -s private/a.csv link; cat link; ln hidden.csv hard; cat hard; cat open.csv; echo x > private/a.csv; echo x > hidden.csv`;

  it('no command reads what the workspace does not read, by no way', async () => {
    const [result = ''] = await resultsOf([{ name: 'run_command', args: { command } }]);
    expect(result).toContain('open-word');
    expect(result.replaceAll(`grep -r ${canary}`, '')).not.toContain(canary);
  }, 30_000);

  it('a shell of its own list reads by that one', async () => {
    const [result = ''] = await resultsOf([{ name: 'run_command', args: { command: 'cat private/a.csv; cat open.csv' } }], {
      shell: '{ unreadable: [open.csv] }',
    });
    expect(result).toContain(canary);
    expect(result).not.toContain('open-word');
  }, 30_000);

  it.skipIf(!isInstalled('python3'))(
    'nor does Python',
    async () => {
      const code = `import os\nfor folder, _, names in os.walk('.'):\n  for name in names:\n    try: print(name, open(os.path.join(folder, name), 'rb').read())\n    except OSError as e: print(name, type(e).__name__)`;
      const [result = ''] = await resultsOf([{ name: 'run_python', args: { code } }]);
      expect(result).toContain('open-word');
      expect(result).not.toContain(canary);
    },
    30_000,
  );
});
