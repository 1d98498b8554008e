import type { ChildProcess } from 'node:child_process';
import { expect, it } from 'vitest';
import { assertJournal } from '../../src/testing/index.ts';
import { RestateServer } from '../support/restate/restate-server.ts';
import { TestCluster } from './cluster.ts';
import { until } from './until.ts';

/** Kills the worker that runs a tool of a run. */
async function killWhere(cluster: TestCluster, runId: string): Promise<ChildProcess | undefined> {
  await until(() => cluster.didIn(runId).length > 0);
  const { pid } = cluster.did.findLast((line) => line.runId === runId) ?? {};
  const worker = cluster.workers.find((each) => each.pid === pid);
  worker?.kill('SIGKILL');
  return worker;
}

it('a worker is killed: an unsafe tool is not run again, and its call is answered as unknown (I5)', async () => {
  await using cluster = await TestCluster.start(2);
  const run = await cluster.engine.launch({ profile: 'Root', input: 'plan: pay 60000; say it is unknown' });
  const began = performance.now();
  expect(await killWhere(cluster, run.id)).toBeDefined();
  const result = await run.result;
  expect(performance.now() - began).toBeLessThan(10_000);
  expect([result.status, result.output]).toEqual(['completed', 'it is unknown']);
  expect(cluster.didIn(run.id)).toEqual(['begin pay']);
  const [turn] = run.turns();
  expect(turn?.toolInteractions.map(({ status }) => status)).toEqual(['unknown']);
  assertJournal(await cluster.journal.read(run.id));
});

it('a worker is killed: idempotent and pure tools run again, the former with the same key', async () => {
  await using cluster = await TestCluster.start(2);
  for (const input of ['plan: note 6000; say noted', 'plan: look 6000; say looked']) {
    const run = await cluster.engine.launch({ profile: 'Root', input });
    await killWhere(cluster, run.id);
    expect((await run.result).status).toBe('completed');
    expect(cluster.didIn(run.id).map((line) => line.split(' ')[0])).toEqual(['begin', 'begin', 'end']);
    const keys = new Set(cluster.did.filter(({ runId }) => runId === run.id).map(({ key }) => key));
    expect(keys.size).toBe(1);
    assertJournal(await cluster.journal.read(run.id));
    await cluster.startWorker();
  }
});

it('a worker that gets SIGTERM ends its tools and leaves the rest to others', async () => {
  await using cluster = await TestCluster.start(1);
  const paying = await cluster.engine.launch({ profile: 'Root', input: 'plan: pay 1000; slow 50; say paid once' });
  await until(() => cluster.didIn(paying.id).length > 0);
  const [first] = cluster.workers;
  await cluster.startWorker();
  first?.kill('SIGTERM');
  const code = await new Promise((resolve) => first?.once('exit', resolve));
  expect(code).toBe(0);
  expect((await paying.result).status).toBe('completed');
  expect(cluster.didIn(paying.id)).toEqual(['begin pay', 'end pay']);
});

it('Restate is killed and comes back: runs go on, and what was accepted is applied', async () => {
  const restate = await RestateServer.start();
  await using cluster = await TestCluster.start(2, restate);
  const run = await cluster.engine.launch({ profile: 'Chat', input: 'plan: slow 500' });
  await restate.kill();
  const sent = run.send('plan: say back again');
  await restate.launch();
  await (
    await sent
  ).delivered;
  await run.settled();
  expect(run.turns().at(-1)?.reply?.text).toBe('back again');
  assertJournal(await cluster.journal.read(run.id));
  await restate.remove();
});

it('without a worker a launch says what to start; with one later, an input that was accepted is applied', async () => {
  await using cluster = await TestCluster.start(0);
  await expect(cluster.engine.launch({ profile: 'Root', input: 'plan: say done' })).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringContaining('cadre worker') as string,
  });
});
