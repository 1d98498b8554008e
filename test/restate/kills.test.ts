import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CadreEvent, Run } from '../../src/index.ts';
import { assertJournal } from '../../src/testing/index.ts';
import { seededRandom } from '../faults/seeded-random.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { RestateServer } from '../support/restate/restate-server.ts';
import { until } from '../support/runtime/until.ts';
import { TestCluster } from './cluster.ts';

/** Kills in this test; a longer sweep: `CLUSTER_KILLS=300 npx vitest run test/restate/kills.test.ts`. */
const kills = Number(process.env['CLUSTER_KILLS'] ?? 20);
const seed = Number(process.env['CLUSTER_SEED'] ?? 1);
/** Runs at a time. */
const crowd = 6;

it(
  `${kills} kills of workers, Restate and PostgreSQL: each run ends, nothing is lost, no unsafe tool runs twice`,
  async () => {
    const random = seededRandom(seed);
    const upTo = (most: number): number => random.below(Math.max(1, most));
    const [postgres, restate] = await Promise.all([PostgresServer.start(), RestateServer.start()]);
    await using cluster = await TestCluster.start(3, restate, postgres);
    const steps = ['look', 'note', 'pay', 'pay'];
    const plan = (): string => Array.from({ length: 2 + upTo(4) }, () => `${steps[upTo(steps.length)]} ${upTo(700)}`).join('; ');
    const runs: Run[] = [];
    const launch = async (): Promise<void> => {
      try {
        runs.push(await cluster.engine.launch({ profile: 'Root', input: `plan: ${plan()}; say finished` }));
      } catch {
        // Not acknowledged: the server was away for too long.
      }
    };
    const working = (): number => runs.filter(({ state }) => state.outcome === undefined).length;
    let killed = 0;
    const counts = { worker: 0, restate: 0, postgres: 0 };
    while (killed < kills) {
      while (working() < crowd) await launch();
      await pause(upTo(600));
      const dice = random.below(100);
      killed += 1;
      if (dice < 70) {
        const alive = cluster.workers.filter((worker) => worker.exitCode === null && worker.signalCode === null);
        alive[upTo(alive.length)]?.kill('SIGKILL');
        counts.worker += 1;
        // A worker that begins while the database or Restate is away ends with an error, as it should.
        await cluster.startWorker();
      } else if (dice < 85) {
        await restate.kill();
        await pause(upTo(300));
        await restate.launch();
        counts.restate += 1;
      } else {
        await postgres.kill();
        await pause(upTo(300));
        await postgres.launch();
        counts.postgres += 1;
      }
    }
    const began = performance.now();
    await until(() => working() === 0, 120);
    const last = Math.round(performance.now() - began);
    let unknown = 0;
    for (const run of runs) {
      const events = await cluster.journal.read(run.id);
      assertJournal(events);
      expect([run.id, run.state.status, run.state.output]).toEqual([run.id, 'completed', 'finished']);
      const lines = cluster.did.filter(({ runId }) => runId === run.id);
      for (const { callId, name, status } of calls(events)) {
        const begun = lines.filter((line) => line.callId === callId && line.kind === 'begin');
        if (name === 'pay')
          expect([run.id, callId, status === 'ok' ? begun.length === 1 : begun.length <= 1]).toEqual([run.id, callId, true]);
        if (status === 'unknown') unknown += 1;
        else expect(status).toBe('ok');
        expect(begun.every(({ isCommitted }) => isCommitted === true || name === 'look')).toBe(true);
      }
    }
    process.stderr.write(
      `${runs.length} runs, kills ${JSON.stringify(counts)}, ${unknown} calls of unknown outcome, all ended ${last} ms after the last kill\n`,
    );
    await Promise.all([postgres.remove(), restate.remove()]);
  },
  600_000 + kills * 10_000,
);

/** The calls of a run, with how they ended. */
function calls(
  events: readonly CadreEvent[],
): readonly { readonly callId: string; readonly name: string; readonly status: string }[] {
  const names = new Map(events.flatMap((event) => (event.type === 'tool.request' ? [[event.callId, event.name] as const] : [])));
  return events.flatMap((event) =>
    event.type === 'tool.end' ? [{ callId: event.callId, name: names.get(event.callId) ?? '', status: event.status }] : [],
  );
}
