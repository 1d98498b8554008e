import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEngine, type Engine, type Run } from '../../../src/index.ts';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { assertJournal, scriptedModel } from '../../../src/testing/index.ts';
import { failure } from '../../contracts/journal-contract.ts';
import { note, placed, runBegin, sampleCommit, sampleOwner, sampleRun } from '../../contracts/journal-samples.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { profileFiles } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';

// Not the shared one: these tests kill it.
let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

const payments = 8;

/** A team that pays `payments` times, one payment a turn, and a ledger of what was paid. */
async function payers(url: string, ledger: string[]): Promise<{ readonly engine: Engine; readonly close: () => Promise<void> }> {
  const journal = createPostgresJournal({ url, leases: { heartbeatMs: 500, expiryMs: 20_000 } });
  const engine = await createEngine({
    profiles: { files: profileFiles(allow('pay')) },
    team: false,
    store: journal,
    tools: [
      tool('pay', async ({ id }, { runId }) => {
        ledger.push(`${runId} ${String(id)}`);
        await pause(15);
        return 'paid';
      }),
    ],
    models: {
      m: scriptedModel(({ prompt }) => {
        const paid = JSON.stringify(prompt).split('"role":"tool"').length - 1;
        return paid < payments ? { toolCalls: [{ name: 'pay', args: { id: paid } }] } : { text: 'done' };
      }),
    },
  });
  return {
    engine,
    close: async () => {
      await engine.close();
      await journal.close();
    },
  };
}

/** Expects that a run has paid everything once, and that its journal says so. */
async function expectPaidOnce(run: Run, engine: Engine, ledger: readonly string[]): Promise<void> {
  expect(run.state.status, JSON.stringify(run.state.error)).toBe('completed');
  const events = await engine.records.read(run.id);
  assertJournal(events);
  expect(events.filter((event) => event.type === 'tool.end').map(({ status }) => status)).toEqual(
    Array<string>(payments).fill('ok'),
  );
  expect(ledger.filter((line) => line.startsWith(`${run.id} `))).toEqual(
    Array.from({ length: payments }, (_, id) => `${run.id} ${id}`),
  );
}

it('a server that is killed and started again in the middle of commits: nothing lost, nothing twice', async () => {
  const ledger: string[] = [];
  const { engine, close } = await payers(server.url('killed'), ledger);
  const runs = await Promise.all([1, 2, 3, 4].map(() => engine.launch({ profile: 'Root', input: 'Pay.' })));
  for (const count of [6, 16]) {
    while (ledger.length < count) await pause(5);
    await server.kill();
    await pause(300);
    await server.launch();
  }
  await Promise.all(runs.map((run) => run.settled()));
  for (const run of runs) await expectPaidOnce(run, engine, ledger);
  await close();
});

it('connections that are cut again and again while runs append: nothing lost, nothing twice', async () => {
  const ledger: string[] = [];
  const { engine, close } = await payers(server.url('cut'), ledger);
  const runs = await Promise.all([1, 2, 3].map(() => engine.launch({ profile: 'Root', input: 'Pay.' })));
  let isOver = false;
  const cutting = (async () => {
    for (let cuts = 0; !isOver && cuts < 40; cuts += 1) {
      await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cadre'`);
      await pause(60);
    }
  })();
  await Promise.all(runs.map((run) => run.settled()));
  isOver = true;
  await cutting;
  for (const run of runs) await expectPaidOnce(run, engine, ledger);
  await close();
});

it('a commit that was written although its answer was lost is not written twice; one of another process is a conflict', async () => {
  const runId = sampleRun('run_lost');
  const journal = createPostgresJournal({ url: server.url('answers') });
  const lease = await journal.acquire(runId, sampleOwner('a'));
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
  // Commits wait for a standby that never comes: they are on disk and visible, and are not acknowledged.
  await server.query(`ALTER SYSTEM SET synchronous_standby_names = 'nowhere'`);
  await server.query('SELECT pg_reload_conf()');
  await pause(200);
  const lost = sampleCommit(runId, 2, [note('lost')]);
  const appending = failure('STORE_FAILED', () => journal.append(lease, lost));
  await pause(200);
  await server.query(`ALTER SYSTEM RESET synchronous_standby_names`);
  await server.kill();
  expect((await appending).details).toMatchObject({ isLocked: true, mayPass: true });
  await server.launch();
  await journal.append(lease, lost);
  await journal.append(lease, sampleCommit(runId, 3, [note('next')]));
  const [lostNote, nextNote] = [note('lost'), note('next')];
  expect(await journal.read(runId)).toEqual(placed(runId, 0, [...runBegin('first'), lostNote, nextNote]));
  await failure('STORE_CONFLICT', () => journal.append(lease, lost));
  await journal.close();
});

it('after a restart of the server a run is not taken from a holder that has had no time to come back', async () => {
  const runId = sampleRun('run_held');
  const url = server.url('restarted');
  const holder = createPostgresJournal({ url });
  const lease = await holder.acquire(runId, sampleOwner('holder'));
  await holder.append(lease, sampleCommit(runId, 0, runBegin('first')));
  await server.stopNow();
  await server.launch();
  const rival = createPostgresJournal({ url });
  await failure('RUN_LOCKED', () => rival.acquire(runId, sampleOwner('rival')));
  await expect.poll(() => holder.holds?.(lease)).toBe(true);
  await holder.append(lease, sampleCommit(runId, 2, [note('still mine')]));
  await holder.close();
  expect((await rival.acquire(runId, sampleOwner('rival'))).epoch).toBe(2);
  await rival.close();
});

it('an engine that is closed while the server is away does not wait for it', async () => {
  const ledger: string[] = [];
  const { engine, close } = await payers(server.url('closed'), ledger);
  await engine.launch({ profile: 'Root', input: 'Pay.' });
  while (ledger.length === 0) await pause(5);
  await server.stopNow();
  const began = performance.now();
  await close();
  expect(performance.now() - began).toBeLessThan(10_000);
  await server.launch();
  const next = await payers(server.url('closed'), ledger);
  const [open] = await next.engine.runs({ isOpen: true });
  const run = await next.engine.resume(open?.runId ?? '');
  await run.settled();
  // A payment whose outcome was not recorded is not made again silently.
  expect(new Set(ledger).size).toBe(ledger.length);
  assertJournal(await next.engine.records.read(run.id));
  await next.close();
});
