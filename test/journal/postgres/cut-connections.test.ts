import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type Engine, type Run } from '../../../src/index.ts';
import { isRefusedForNow, toPostgresError } from '../../../src/journal/postgres/postgres-failure.ts';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun } from '../../contracts/journal-samples.ts';
import { CutProxy } from '../../support/network/cut-proxy.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { until } from '../../support/runtime/until.ts';
import { profileFiles } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';

// Not the shared one: these tests take its connections away.
let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

interface House extends AsyncDisposable {
  readonly engine: Engine;
  /** `RUN` once per payment that was made. */
  readonly ledger: readonly string[];
}

/** An engine whose runs pay once, over a journal behind a proxy. */
async function open(proxy: CutProxy): Promise<House> {
  const journal = createPostgresJournal({ url: server.urlThrough(proxy.port, server.newSchema()) });
  const ledger: string[] = [];
  const engine = await createEngine({
    profiles: { files: profileFiles(allow('pay')) },
    team: false,
    store: journal,
    tools: [tool('pay', (_, { runId }) => (ledger.push(runId), 'paid'))],
    models: {
      m: scriptedModel(({ prompt }) =>
        JSON.stringify(prompt).includes('"role":"tool"') ? { text: 'done' } : { toolCalls: [{ name: 'pay', args: {} }] },
      ),
    },
  });
  return {
    engine,
    ledger,
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await journal.close();
    },
  };
}

async function launchMany(engine: Engine, count: number): Promise<readonly Run[]> {
  return await Promise.all(Array.from({ length: count }, () => engine.launch({ profile: 'Root', input: 'Pay.' })));
}

/** Expects that every run has ended, and has paid once. */
async function expectPaid(house: House, runs: readonly Run[]): Promise<void> {
  for (const run of runs) await run.settled();
  expect(runs.map((run) => run.state.status)).toEqual(runs.map(() => 'completed'));
  expect(house.ledger.toSorted()).toEqual(runs.map(({ id }) => String(id)).toSorted());
}

/** Chooses every 31st piece, and the first of each kind of statement. */
function everyStatement(): (piece: number, data: Buffer) => boolean {
  const kinds = new Set<string>();
  return (piece, data) => {
    const kind = /cadre-[a-z-]+|[A-Z]{3,} [\w (]{4,24}|BEGIN|COMMIT/.exec(data.toString('latin1'))?.[0] ?? '';
    const isNew = !kinds.has(kind);
    kinds.add(kind);
    return isNew || piece % 31 === 0;
  };
}

it('F170: connections that are lost before and after any statement end no process, with 100 runs launching', async () => {
  await using proxy = await CutProxy.start(server.port);
  await using house = await open(proxy);
  const first = await launchMany(house.engine, 1);
  const isCut = { before: everyStatement(), after: everyStatement() };
  proxy.cutPieces((piece, data) => {
    if (isCut.before(piece, data)) return 'before';
    return isCut.after(piece + 15, data) ? 'after' : undefined;
  });
  const launching = launchMany(house.engine, 100);
  const runs = await launching.finally(() => proxy.cutPieces(undefined));
  await expectPaid(house, [...first, ...runs]);
});

it('F170: a server that restarts while runs are launched ends no process', async () => {
  await using proxy = await CutProxy.start(server.port);
  await using house = await open(proxy);
  const first = await launchMany(house.engine, 1);
  const launching = launchMany(house.engine, 60);
  while (house.ledger.length < 5) await pause(5);
  await server.stopNow();
  await server.launch();
  await expectPaid(house, [...first, ...(await launching)]);
});

describe.concurrent('F178: a network that says nothing, a server that refuses connections', () => {
  it('a silence of 4 s costs no launch', async () => {
    await using proxy = await CutProxy.start(server.port);
    await using house = await open(proxy);
    const first = await launchMany(house.engine, 3);
    const launching = launchMany(house.engine, 20);
    while (house.ledger.length < 5) await pause(5);
    proxy.cut('silence');
    const began = performance.now();
    await pause(4_000);
    proxy.speak();
    await expectPaid(house, [...first, ...(await launching)]);
    // The driver's own limit for an answer is 35 s.
    expect(performance.now() - began).toBeLessThan(25_000);
  });

  it('a connection that died without a sign is noticed in seconds: idle ones, and the one that receives news', async () => {
    await using proxy = await CutProxy.start(server.port);
    const url = server.urlThrough(proxy.port, server.newSchema());
    const journal = createPostgresJournal({ url });
    const runId = sampleRun('run_dead');
    const lease = await journal.acquire(runId, sampleOwner('a'));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
    let news = 0;
    const unwatch = journal.watch?.(runId, () => (news += 1));
    await until(() => news > 0);
    proxy.cut('silence');
    proxy.speak();
    expect(await journal.read(runId)).toHaveLength(2);
    const other = createPostgresJournal({ url });
    const before = news;
    while (news <= before + 1) {
      await other.mark?.(runId, { title: 'new' });
      await pause(200);
    }
    unwatch?.();
    await other.close();
    await journal.append(lease, sampleCommit(runId, 2, [note('still mine')]));
    await journal.close();
  });

  it('a statement that takes long on a server that answers is let finish', async () => {
    await using proxy = await CutProxy.start(server.port);
    const schema = server.newSchema();
    const journal = createPostgresJournal({ url: server.urlThrough(proxy.port, schema) });
    const runId = sampleRun('run_slow');
    const lease = await journal.acquire(runId, sampleOwner('a'));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
    const blocker = new Client({ connectionString: server.url() });
    await blocker.connect();
    await blocker.query(`BEGIN; LOCK TABLE ${schema}.runs IN ACCESS EXCLUSIVE MODE`);
    const before = { ...proxy.seen };
    let sent = 0;
    proxy.cutPieces((_, data) => {
      if (data.includes(`FROM "${schema}".runs`)) sent += 1;
      return undefined;
    });
    const listing = journal.runs();
    // It looked twice whether the server works on it.
    await until(() => proxy.seen.connections - before.connections >= 2);
    await blocker.query('COMMIT');
    await blocker.end();
    expect(await listing).toHaveLength(1);
    expect(sent).toBe(1);
    await journal.close();
  });

  it('no free connection: work waits, at the first contact too', async () => {
    const as = { user: 'poor', password: 'p' };
    await server.query(`CREATE ROLE poor LOGIN PASSWORD 'p' CONNECTION LIMIT 3; GRANT CREATE ON DATABASE postgres TO poor`);
    const others = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const client = new Client({ connectionString: server.url(undefined, as) });
        await client.connect();
        return client;
      }),
    );
    // One connection for the session, two for ten at a time.
    const journal = createPostgresJournal({ url: server.url(server.newSchema(), as) });
    const taking = Promise.all(
      Array.from({ length: 40 }, (_, index) => journal.acquire(sampleRun(`run_${index}`), sampleOwner('o'))),
    );
    await pause(500);
    await Promise.all(others.map((client) => client.end()));
    expect(await taking).toHaveLength(40);
    await journal.close();
  });

  it.each([
    ['53300', 'too many connections for role "x"'],
    ['57P03', 'the database system is starting up'],
    ['XX000', 'MaxClientsInSessionMode: max clients reached - in Session mode max clients are limited to pool_size'],
    ['08P01', 'no more connections allowed (max_client_conn)'],
  ])('a refusal of a server or pooler that may pass is known: %s %s', (code, message) => {
    expect(isRefusedForNow(Object.assign(new Error(message), { code }))).toBe(true);
    expect(toPostgresError(Object.assign(new Error(message), { code }), { location: 'x', doing: 'y' }).details).toMatchObject({
      isLocked: true,
      mayPass: true,
    });
  });
});
