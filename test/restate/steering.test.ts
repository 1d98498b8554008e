import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import { assertJournal } from '../../src/testing/index.ts';
import { runCli } from '../cli/cli-process.ts';
import { until } from '../support/runtime/until.ts';
import { TestCluster } from './cluster.ts';

const cwd = mkdtempSync(path.join(tmpdir(), 'cadre-steering-'));
/** Runs whose tools and models are given by the code of workers: the command line has none of them. */
const cluster = await TestCluster.start(1);
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});
const store = ['--store', cluster.url];
const where = [
  ...store,
  '--restate',
  cluster.restate.ingress,
  '--restate-admin',
  cluster.restate.admin,
  '--restate-name',
  cluster.name,
];

async function cadre(
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return await runCli(words, { cwd });
}

async function chat(input: string): Promise<Run> {
  const run = await cluster.engine.launch({ profile: 'Chat', input });
  await run.settled();
  return run;
}

it('a message and a note reach a run on workers, and the run goes on there', async () => {
  const run = await chat('plan: say hello');
  const sent = await cadre('send', run.id, 'plan: say', 'again', ...where);
  expect([sent.code, sent.err]).toEqual([0, expect.stringMatching(/^Sent\. Run \S+ continues on workers; watch it with: .*tail/)]);
  await until(() => run.turns().length === 2);
  await run.settled();
  expect(run.turns().map(({ reply }) => reply?.text)).toEqual(['hello', 'again']);
  const noted = await cadre('note', run.id, 'tone', 'Be brief.', '--json', ...where);
  expect(noted.code, noted.err).toBe(0);
  expect(JSON.parse(noted.out)).toMatchObject({ type: 'done', runId: run.id });
  await until(() => run.notes.length === 1);
  assertJournal(await cluster.journal.read(run.id));
  await run.cancel();
  const late = await cadre('send', run.id, 'more', ...where);
  expect([late.code, late.err]).toEqual([expect.any(Number), expect.stringContaining('has ended (cancelled)')]);
  expect(late.code).toBeGreaterThan(0);
});

it('a call is approved, another one rejected, and a wrong id is refused with those that wait', async () => {
  const runs = await Promise.all(
    [1, 2].map(async () => await cluster.engine.launch({ profile: 'Asks', input: 'plan: pay 5; say all is done' })),
  );
  for (const run of runs) await until(() => run.pending.length === 1);
  const [paid, refused] = runs;
  if (paid === undefined || refused === undefined) throw new Error('no runs');
  const wrong = await cadre('approve', paid.id, 'c99', ...where);
  expect([wrong.code, wrong.err]).toEqual([expect.any(Number), expect.stringContaining(paid.pending[0]?.id ?? '?')]);
  expect(wrong.code).toBeGreaterThan(0);
  const approved = await cadre('approve', paid.id, paid.pending[0]?.id ?? '', ...where);
  expect([approved.code, approved.err]).toEqual([0, expect.stringContaining('Decided.')]);
  const rejected = await cadre('reject', refused.id, refused.pending[0]?.id ?? '', '--message', 'too much', ...where);
  expect([rejected.code, rejected.err]).toEqual([0, expect.stringContaining('Decided.')]);
  expect((await paid.result).output).toBe('all is done');
  await refused.result;
  expect([cluster.didIn(paid.id), cluster.didIn(refused.id)]).toEqual([['begin pay', 'end pay'], []]);
});

it('a cancel ends a run on workers and stops its tool', async () => {
  const run = await chat('plan: say hello');
  const working = await cluster.engine.launch({ profile: 'Root', input: 'plan: look 60000; say done' });
  await until(() => cluster.didIn(working.id).length === 1);
  for (const each of [run, working]) {
    const cancelled = await cadre('cancel', each.id, ...where);
    expect([cancelled.code, cancelled.err]).toEqual([0, expect.stringContaining('has ended (cancelled)')]);
    expect((await each.result).status).toBe('cancelled');
  }
  await until(() => cluster.didIn(working.id).includes('stop look'), 5);
});

it('what is missing or wrong is said: no --restate, no server, another command of the two, a file as journal', async () => {
  const run = await chat('plan: say hello');
  const without = await cadre('cancel', run.id, ...store);
  expect([without.code, without.err]).toEqual([
    1,
    expect.stringMatching(
      /is held by runtime restate.*its workers advance it: name their Restate with --restate URL, or take the run over with/s,
    ),
  ]);
  const down = await cadre('send', run.id, 'x', ...store, '--restate', 'http://127.0.0.1:9');
  expect([down.code, down.err]).toEqual([1, expect.stringContaining('http://127.0.0.1:9')]);
  const both = await cadre('cancel', run.id, '--take-over', ...where);
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('Use one of them')]);
  const file = await cadre('send', run.id, 'x', '--store', 'journal.db', '--restate', cluster.restate.ingress);
  expect([file.code, file.err]).toEqual([2, expect.stringContaining('--store postgres://…')]);
  const unknown = await cadre('send', 'run_nope', 'x', ...where);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("no run 'run_nope'")]);
  expect(run.state.status).toBe('awaiting');
});
