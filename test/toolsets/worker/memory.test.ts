import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolsetKind } from '../../../src/core/tool/toolset.ts';
import { chartsToolset } from '../../../src/toolsets/charts/charts-toolset.ts';
import { javascriptToolset } from '../../../src/toolsets/javascript/javascript-toolset.ts';
import { exceedsMemory } from '../../../src/toolsets/process/memory-bound.ts';
import { createMemoryGroup, type MemoryGroup } from '../../../src/toolsets/process/memory-group.ts';
import { sqlToolset } from '../../../src/toolsets/sql/sql-toolset.ts';
import { convertPage } from '../../../src/toolsets/web/convert-page.ts';
import { runChild } from '../../../src/toolsets/worker/run-child.ts';
import { sampled } from '../../support/repeats.ts';
import { isAlive, toolsetUnderTest } from '../../tools/toolset-under-test.ts';
import { watchChildren, type WatchedChildren } from '../../tools/watch-children.ts';

const isLinux = process.platform === 'linux';
const live = (): AbortSignal => new AbortController().signal;
/** What the files of Node take in the memory of a process, and what it may take between two measurements. */
const filesMb = 70;
const betweenMb = 130;

/** Says how an act ended, and what was seen of the processes it started. */
async function outcome(act: () => Promise<unknown>): Promise<WatchedChildren & { readonly said: string }> {
  let said = '';
  const seen = await watchChildren(async () => {
    try {
      said = JSON.stringify(await act());
    } catch (thrown) {
      said = String(thrown);
    }
  });
  return { ...seen, said };
}

/** Returns the job of a query whose process may have 128 MB. */
function queryJob(sql: string) {
  return {
    file: new URL('../../../src/toolsets/sql/query-worker', import.meta.url),
    input: { kind: 'query', sql, parameters: [], tables: [], maxRows: 200, maxChars: 30_000 },
    timeoutMs: 60_000,
    maxMemoryMb: 128,
    signal: live(),
    what: 'The query',
    advice: 'Narrow it.',
  };
}

const query = (sql: string, createGroup: typeof createMemoryGroup): Promise<unknown> => runChild(queryJob(sql), createGroup);

const noGroup = (): undefined => undefined;
/** A group that lets nobody in, as where the kernel does not allow a process to change groups. */
const closedGroup = (): MemoryGroup => ({
  joinFile: '/proc/version',
  add: () => undefined,
  holds: () => false,
  kills: () => 0,
  remove: () => undefined,
});

const some = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000)';
const queries: readonly (readonly [string, string])[] = [
  ['one long value', 'SELECT length(hex(zeroblob(200000000)))'],
  ['a long text by a format', `SELECT length(printf('%.*c', 800000000, 'x'))`],
  ['a value that is shown', 'SELECT randomblob(400000000)'],
  ['long values, row by row', `${some} SELECT printf('%.*c', 100000000, 'x') FROM c`],
  ['texts put together', `${some} SELECT length(group_concat(hex(zeroblob(50000)))) FROM c`],
  ['a list in JSON', `${some} SELECT length(json_group_array(hex(zeroblob(50000)))) FROM c`],
  [
    'rows that are sorted',
    `${some} SELECT x FROM (SELECT x, hex(zeroblob(25000)) || x AS b FROM c) ORDER BY b LIMIT 1 OFFSET 500000`,
  ],
  ['a window over all rows', `${some} SELECT length(group_concat(hex(zeroblob(50000))) OVER ()) FROM c LIMIT 1`],
  [
    'rows that are kept',
    `${some}, d AS MATERIALIZED (SELECT x, hex(zeroblob(50000)) b FROM c) SELECT count(*) FROM d one JOIN d two USING (x)`,
  ],
  [
    'rows without end',
    `WITH RECURSIVE c(b) AS (SELECT 'x' UNION SELECT b || 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx' FROM c) SELECT count(*) FROM c`,
  ],
];

describe.skipIf(!isLinux)('F98: the memory of a query is bounded from outside its process', () => {
  it.each(sampled(queries))('%s', async (_what, sql) => {
    const { said, peakMb, left } = await outcome(() => query(sql, createMemoryGroup));
    expect(said).toBe('CadreError: The query needed more than 128 MB of memory and was stopped. Narrow it.');
    expect(peakMb).toBeLessThan(128 + filesMb + betweenMb);
    expect(left).toEqual([]);
  });

  it.each([
    ['no group', noGroup],
    ['a group that lets nobody in', closedGroup],
  ])('by measuring, where there is %s', async (_what, createGroup) => {
    for (const [, sql] of sampled(queries.slice(0, 4))) {
      const { said, peakMb, left } = await outcome(() => query(sql, createGroup));
      expect(said).toBe('CadreError: The query needed more than 128 MB of memory and was stopped. Narrow it.');
      expect(peakMb).toBeLessThan(128 + filesMb + betweenMb);
      expect(left).toEqual([]);
    }
  });
});

/** Opens a toolset with data files in its workspace. */
function open(kind: ToolsetKind, settings: JsonObject, files: Readonly<Record<string, string>> = {}) {
  const tools = toolsetUnderTest(kind, settings);
  onTestFinished(() => tools.close());
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(tools.workspace, name), text);
  return tools;
}

const numbers = `a,b\n${'1,2\n'.repeat(4_990_000)}`;
const table = { 't.csv': numbers };
const sequence = (stop: number): JsonObject => ({
  data: { sequence: { start: 0, stop, as: 'x' } },
  transform: [{ calculate: 'sequence(0, 1000000)', as: 's' }, { flatten: ['s'] }],
  mark: 'point',
  encoding: { x: { field: 's', type: 'quantitative' } },
});

describe.skipIf(!isLinux)('F98: a process that does work', () => {
  it('ends when its parent was killed, since nobody bounds its memory any more', async () => {
    const parent = fork(new URL('./parent-child.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const [working] = (await once(parent, 'message')) as [number];
    expect(isAlive(String(working))).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(String(working))).toBe(false);
  });

  it('gives no more than its parent can hold', async () => {
    const columns = Array.from({ length: 1_900 }, (_, index) => `hex(zeroblob(249)) AS c${index}`).join();
    const sql = `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100) SELECT ${columns} FROM c`;
    const job = { ...queryJob(sql), maxMemoryMb: 512 };
    const input = { ...job.input, maxChars: 1e9 };
    const before = process.memoryUsage.rss();
    const { said } = await outcome(() => runChild({ ...job, input }));
    expect(said).toBe('CadreError: The result is larger than 64 MB: ask for less at a time.');
    expect((process.memoryUsage.rss() - before) / 1024 ** 2).toBeLessThan(100);
  });

  it('a group that a command could not join bounds nothing: the command is measured', () => {
    const pid = process.pid;
    const members = (): readonly number[] => [pid];
    expect(exceedsMemory({ bytes: 1 << 20, group: closedGroup(), pid, members })).toBe(true);
    expect(exceedsMemory({ bytes: 1 << 20, group: { ...closedGroup(), holds: () => true }, pid, members })).toBe(false);
    expect(exceedsMemory({ bytes: 2 ** 50, group: { ...closedGroup(), kills: () => 1 }, pid, members })).toBe(true);
    expect(exceedsMemory({ bytes: 2 ** 50, group: closedGroup(), pid, members })).toBe(false);
  });
});

describe.skipIf(!isLinux)('F98: the memory of a tool is bounded from outside its process', () => {
  it('a query', async () => {
    const sql = open(sqlToolset, { timeout: '60s' }, { 's.csv': 'a\n1\n' });
    const { said, peakMb, left } = await outcome(() =>
      sql.run('query_database', { sql: 'SELECT length(hex(zeroblob(450000000)))', tables: { s: 's.csv' } }),
    );
    expect(said).toMatch(/^CadreError: The query needed more than 512 MB of memory and was stopped\. Narrow it: filter before/);
    expect(peakMb).toBeLessThan(512 + filesMb + betweenMb);
    expect(left).toEqual([]);
  });

  it('CSV files as tables', async () => {
    const sql = open(sqlToolset, { timeout: '60s' }, table);
    const tables = Object.fromEntries(['t', 'u', 'v', 'w'].map((name) => [name, 't.csv']));
    const { said, peakMb, left } = await outcome(() => sql.run('query_database', { sql: 'SELECT count(*) FROM t', tables }));
    expect(said).toContain('The query needed more than 512 MB of memory and was stopped.');
    expect(peakMb).toBeLessThan(512 + filesMb + betweenMb);
    expect(left).toEqual([]);
  });

  it('a chart', async () => {
    const charts = open(chartsToolset, { timeout: '60s' });
    const { said, peakMb, left } = await outcome(() => charts.run('draw_chart', { spec: sequence(1_000), file: 'a' }));
    expect(said).toMatch(/^CadreError: The chart needed more than 1024 MB of memory and was stopped\. Draw less: /);
    expect(peakMb).toBeLessThan(1_024 + filesMb + betweenMb);
    expect(left).toEqual([]);
  });

  it('the rows of a chart are read there, too', async () => {
    const charts = open(chartsToolset, { timeout: '1s' }, table);
    const before = process.memoryUsage.rss();
    const spec = { data: { name: 't' }, mark: 'bar', encoding: { y: { aggregate: 'count' } } };
    await outcome(() => charts.run('draw_chart', { spec, file: 'a', tables: { t: 't.csv' } }));
    expect((process.memoryUsage.rss() - before) / 1024 ** 2).toBeLessThan(250);
  });

  it('a page', async () => {
    const html = `<p>${'word '.repeat(30_000_000)}`;
    const page = { html, url: 'https://example.org/', whole: true };
    const { said, peakMb, left } = await outcome(() =>
      convertPage(page, { timeoutMs: 60_000, signal: live(), sandbox: undefined }),
    );
    expect(said).toMatch(
      /^CadreError: Reading https:\/\/example\.org\/ needed more than 512 MB of memory and was stopped\. The page/,
    );
    expect(peakMb).toBeLessThan(512 + filesMb + betweenMb);
    expect(left).toEqual([]);
  });
});

const programs: readonly (readonly [string, string])[] = [
  ['bytes', 'for (;;) all.push(new Uint8Array(1e6).fill(1))'],
  ['bytes, in spite of every error', 'for (;;) try { all.push(new Uint8Array(1e6).fill(1)) } catch {}'],
  ['buffers that grow', 'for (;;) { const b = new ArrayBuffer(0, { maxByteLength: 1e8 }); b.resize(5e6); all.push(b) }'],
  ['texts', 'for (let i = 0; ; i++) all.push("x".repeat(1e6) + i)'],
  ['a text that doubles', 'let s = "x"; for (;;) { s += s; all.push(s) }'],
  ['a map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, "x".repeat(1e4) + i)'],
  ['nested lists', 'let a = []; for (;;) a = [a, a, new Array(1000).fill(a)]'],
  ['JSON', 'let s = "[]"; for (;;) s = JSON.stringify([JSON.parse(s), JSON.parse(s)])'],
  ['a generator', 'function* g() { for (;;) yield new ArrayBuffer(1e6) } for (const x of g()) all.push(x)'],
  ['matches', 'for (;;) all.push("ab".repeat(1e6).match(/(a)/g))'],
];

describe.skipIf(!isLinux)('F98: the memory of JavaScript is bounded by that of its engine', () => {
  it.each(sampled(programs))('%s', async (_what, code) => {
    const javascript = open(javascriptToolset, { max_memory_mb: 64, timeout: '3s' });
    const { said, peakMb, left } = await outcome(() => javascript.run('run_javascript', { code: `const all = []; ${code}` }));
    expect(said).toMatch(/It has 64 MB of memory: keep less at a time|string too long|took longer than its timeout/);
    expect(peakMb).toBeLessThan(64 + 140);
    expect(left).toEqual([]);
  });

  it('what it writes is bounded outside its engine', async () => {
    const javascript = open(javascriptToolset, { max_memory_mb: 64, timeout: '30s' });
    const code = 'const s = "x".repeat(1.5e7); for (;;) console.log(s, s, s, s)';
    const { said, peakMb, left } = await outcome(() => javascript.run('run_javascript', { code }));
    expect(said).toContain('The code needed more than 320 MB of memory and was stopped. That is max_memory_mb (64) and 256 MB');
    expect(peakMb).toBeLessThan(320 + filesMb + betweenMb);
    expect(left).toEqual([]);
  });
});
