import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createEngine } from '../../src/index.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { assertJournal, scriptedModel } from '../../src/testing/index.ts';
import { sharedServer } from '../support/postgres/postgres-server.ts';
import { freePorts, RestateServer, sharedRestate } from '../support/restate/restate-server.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';
import { profileFiles } from '../support/test-engine.ts';
import { until } from '../support/runtime/until.ts';
import { TestCluster } from './cluster.ts';

const postgres = await sharedServer();

/** Opens an engine over a new schema, or fails as it does. */
async function open(options: { readonly ingress: string; readonly admin?: string; readonly name?: string; readonly url?: string }) {
  const { url = postgres.url(postgres.newSchema()), ...where } = options;
  const store = createPostgresJournal({ url });
  try {
    const engine = await createEngine({ ...teamOptions('/dev/null', store), store, runtime: restateRuntime(where) });
    return { engine, store };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

it('a Restate that is not there, and an address of something else, are errors at the start', async () => {
  const [port = 0] = await freePorts(1);
  await expect(open({ ingress: `http://127.0.0.1:${port}` })).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringMatching(/nothing listens there.*its ingress/s) as string,
  });
  const { ingress } = await sharedRestate();
  await expect(open({ ingress, admin: `http://127.0.0.1:${port}` })).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringContaining('its admin API') as string,
  });
});

it('a Restate of another major version is refused with its version', async () => {
  const server = createServer((request, response) => response.end(request.url === '/version' ? '{"version":"2.0.1"}' : '{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(open({ ingress: url, admin: url })).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringMatching(/2\.0\.1.*version 1/) as string,
  });
  server.close();
});

it.each([
  [300_000, 'ahead of'],
  [-300_000, 'behind'],
])('a worker whose clock is %i ms off is not started, with what to do', async (ms, said) => {
  await using cluster = await TestCluster.start(0);
  const store = createPostgresJournal({ url: cluster.url });
  const runtime = restateRuntime({ ingress: cluster.restate.ingress, admin: cluster.restate.admin, worker: { port: 0 } });
  const clock = { ...systemClock, now: () => Date.now() + ms };
  const engine = await createEngine({ ...teamOptions(cluster.ledger, store), store, runtime, clock });
  await expect(engine.work()).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringMatching(new RegExp(`(?:29|30)\\d s ${said} that of postgres:.*NTP`)) as string,
  });
  await engine.close();
  await store.close();
});

it('options that cannot be meant, and a journal that workers cannot reach, are refused', async () => {
  for (const ingress of ['127.0.0.1:8080', 'ftp://x', '', 'http://user:word@host'])
    expect(() => restateRuntime({ ingress })).toThrow(/ingress must be a URL/);
  expect(() => restateRuntime({ ingress: 'http://x', name: 'a-b' })).toThrow(/name must begin/);
  for (const port of [65_536, -1, 1.5, NaN])
    expect(() => restateRuntime({ ingress: 'http://x', worker: { port } })).toThrow(/worker.port must be a whole number from 0/);
  expect(() => restateRuntime({ ingress: 'http://x', other: 1 } as never)).toThrow(/no option 'other'/);
  const { ingress, admin } = await sharedRestate();
  const store = createSqliteJournal(path.join(mkdtempSync(path.join(tmpdir(), 'cadre-restate-')), 'journal.db'));
  const runtime = restateRuntime({ ingress, admin });
  await expect(createEngine({ ...teamOptions('/dev/null', store), store, runtime })).rejects.toThrow(
    /needs a journal that all workers reach/,
  );
});

it('two journals under one name in a Restate, and one journal at two Restates, are refused; --adopt moves it', async () => {
  await using cluster = await TestCluster.start(1);
  const { restate, name, url } = cluster;
  await expect(open({ ingress: restate.ingress, admin: restate.admin, name })).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringContaining('belong to another journal') as string,
  });
  const other = await RestateServer.start();
  const store = createPostgresJournal({ url });
  const team = { ...teamOptions(cluster.ledger, store), store };
  const where = { ingress: other.ingress, admin: other.admin, name };
  const engine = await createEngine({ ...team, runtime: restateRuntime({ ...where, worker: { port: 0 } }) });
  await expect(engine.work()).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringContaining('belong to another Restate') as string,
  });
  await engine.close();
  // Neither do services of another name in the same Restate get it.
  const renamed = restateRuntime({ ingress: restate.ingress, admin: restate.admin, name: `${name}_b`, worker: { port: 0 } });
  const second = await createEngine({ ...team, runtime: renamed });
  await expect(second.work()).rejects.toMatchObject({
    code: 'RUNTIME_FAILED',
    message: expect.stringContaining('services of another name') as string,
  });
  await second.close();
  const adopting = await createEngine({ ...team, runtime: restateRuntime({ ...where, worker: { port: 0, adopt: true } }) });
  await adopting.work();
  const run = await adopting.launch({ profile: 'Root', input: 'plan: say moved' });
  expect((await run.result).output).toBe('moved');
  await adopting.close();
  await store.close();
  await other.remove();
});

it('a run of an ordinary process is not taken from it; when that is gone, it goes on here, and an unsafe tool is unknown', async () => {
  await using cluster = await TestCluster.start(1);
  const store = createPostgresJournal({ url: cluster.url });
  const ordinary = await createEngine({ ...teamOptions(cluster.ledger, store), store });
  const run = await ordinary.launch({ profile: 'Root', input: 'plan: pay 60000; say unknown' });
  await until(() => cluster.didIn(run.id).length > 0);
  await expect(cluster.engine.resume(run.id)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  // Its connections end, as with its process; its engine has no chance to record anything.
  await store.close();
  const taken = await cluster.engine.resume(run.id, { waitForHolder: true });
  expect((await taken.result).output).toBe('unknown');
  expect(cluster.didIn(run.id).filter((line) => line === 'begin pay')).toHaveLength(1);
  assertJournal(await cluster.journal.read(run.id));
  // And a run of the runtime is not taken by an ordinary process.
  const waiting = await cluster.engine.launch({ profile: 'Chat', input: 'plan: say hello' });
  await waiting.settled();
  const again = createPostgresJournal({ url: cluster.url });
  const second = await createEngine({ ...teamOptions(cluster.ledger, again), store: again });
  await expect(second.resume(waiting.id)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  await second.close();
  await again.close();
  await ordinary.close();
});

it('a worker that lacks the tools of a run leaves it to others', async () => {
  await using cluster = await TestCluster.start(0);
  const store = createPostgresJournal({ url: cluster.url });
  const { restate, name } = cluster;
  const [port = 0] = await freePorts(1);
  const runtime = restateRuntime({ ingress: restate.ingress, admin: restate.admin, name, worker: { port, sharePort: true } });
  const other = { profiles: { files: profileFiles({ Other: '' }) }, models: { m: scriptedModel([]) }, tools: [] };
  const lacking = await createEngine({ ...other, store, runtime });
  await lacking.work();
  const warned = once(process, 'warning');
  const run = await cluster.engine.launch({ profile: 'Root', input: 'plan: say found' });
  expect(String(await warned)).toContain('lacks tools that code gave');
  expect(run.state.status).toBe('running');
  const able = await createEngine({ ...teamOptions(cluster.ledger, store), store, runtime });
  await able.work();
  expect((await run.result).output).toBe('found');
  await lacking.close();
  await able.close();
  await store.close();
});
