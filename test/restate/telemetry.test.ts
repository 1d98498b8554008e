import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readSpans, traceInto, type WrittenSpan } from '../support/runtime/traced.ts';
import { until } from '../support/runtime/until.ts';
import { TestCluster } from './cluster.ts';

it('the spans of a run are one trace, with those that its tools make on three workers below their calls, whoever exports it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-spans-'));
  const files = { workers: path.join(folder, 'workers.jsonl'), launcher: path.join(folder, 'launcher.jsonl') };
  process.env['CADRE_TEST_SPANS'] = files.workers;
  await using cluster = await TestCluster.start(3);
  delete process.env['CADRE_TEST_SPANS'];
  const telemetry = await traceInto(files.launcher);
  const input = 'plan: look 50; note 50; pay 50; look 50; note 50; say done';
  const runs = await Promise.all(Array.from({ length: 9 }, async () => await cluster.engine.launch({ profile: 'Root', input })));
  for (const run of runs) telemetry.watch(run);
  for (const run of runs) expect((await run.result).status).toBe('completed');
  const ended = (): number => readSpans(files.launcher).filter(({ name }) => name.startsWith('invoke_workflow')).length;
  await until(() => ended() === runs.length);

  const made = readSpans(files.workers);
  // Restate may leave a worker that has just begun without work.
  expect(new Set(made.map(({ pid }) => pid)).size).toBeGreaterThan(1);
  const exported = readSpans(files.launcher);
  const traces = new Map<string, readonly WrittenSpan[]>();
  for (const span of [...exported, ...made]) traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);
  expect(traces.size).toBe(runs.length);
  for (const spans of traces.values()) {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    expect(byId.size).toBe(spans.length);
    const roots = spans.filter(({ parent }) => parent === undefined);
    expect(roots.map(({ name }) => name)).toEqual(['invoke_workflow Root']);
    const parents = spans.flatMap(({ name, parent }) => (parent === undefined ? [] : [`${name} < ${byId.get(parent)?.name}`]));
    expect(parents.filter((line) => line.endsWith('undefined'))).toEqual([]);
    const own = parents.filter((line) => line.startsWith('own '));
    expect(own.toSorted()).toEqual(['look', 'look', 'note', 'note', 'pay'].map((tool) => `own ${tool} < execute_tool ${tool}`));
    expect(parents.filter((line) => line.startsWith('deeper')).length).toBe(5);
  }

  // Exported again, from the journal and later: the same spans under the same ids.
  const [first] = runs;
  if (first === undefined) throw new Error('no run');
  telemetry.export(await cluster.journal.read(first.id));
  const again = readSpans(files.launcher).slice(exported.length);
  const ids = new Set(exported.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  expect(again.length).toBeGreaterThan(10);
  expect(again.filter(({ traceId, spanId }) => !ids.has(`${traceId} ${spanId}`))).toEqual([]);
});
