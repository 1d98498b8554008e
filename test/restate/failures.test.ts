import { expect, it } from 'vitest';
import { assertJournal } from '../../src/testing/index.ts';
import { RestateServer } from '../support/restate/restate-server.ts';
import { TestCluster } from './cluster.ts';
import { until } from '../support/runtime/until.ts';

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

it('F179: Restate that lost its data is noticed and repaired in seconds: runs go on, approvals reach them, nothing twice', async () => {
  const restate = await RestateServer.start();
  await using cluster = await TestCluster.start(2, restate);
  const working = await Promise.all(
    [1, 2, 3].map(() => cluster.engine.launch({ profile: 'Root', input: 'plan: pay 10; look 2000; note 10; say done' })),
  );
  const asking = await cluster.engine.launch({ profile: 'Asks', input: 'plan: pay 10; say allowed' });
  const expiring = await cluster.engine.launch({ profile: 'Expires', input: 'plan: pay 10; say over' });
  await until(() => asking.pending.length === 1);
  await until(() => working.every((run) => cluster.didIn(run.id).includes('end pay')));
  await restate.loseData();
  const began = performance.now();
  await asking.approve(asking.pending[0]?.id ?? '');
  await Promise.all([...working, asking, expiring].map((run) => run.result));
  // The look at runs that stand still comes after a minute.
  expect(performance.now() - began).toBeLessThan(45_000);
  const made = (runId: string): readonly string[] => cluster.didIn(runId).filter((line) => !line.endsWith('look'));
  for (const run of working) expect(made(run.id)).toEqual(['begin pay', 'end pay', 'begin note', 'end note']);
  expect(cluster.didIn(asking.id)).toEqual(['begin pay', 'end pay']);
  expect(cluster.didIn(expiring.id)).toEqual([]);
  expect([...working, asking].map((run) => run.state.status)).toEqual(Array<string>(4).fill('completed'));
  await restate.remove();
});
