import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createEngine, type Engine } from '../../src/index.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts';
import { freePorts, RestateServer } from '../../test/support/restate/restate-server.ts';
import { serverSettings } from '../long/long-runs.ts';
import { cpuMicros } from '../measure.ts';
import { clusterTeam, leadTurns, soloTurns } from './cluster-team.ts';

/** Sizes of the measured jobs. */
export interface ClusterSizes {
  /** Runs of one agent and four turns, for each number of workers. */
  readonly soloRuns: number;
  /** Runs of six agents, launched at once. */
  readonly teamRuns: number;
  /** Associates of one run. */
  readonly associates: number;
}

/** A job: runs launched at once. */
interface Job {
  readonly name: string;
  readonly profile: 'Solo' | 'Lead';
  readonly input: string;
  readonly runs: number;
  readonly turnsEach: number;
}

const mostWorkers = 3;

/** Measures runs per second and CPU per turn with 1, 2 and 3 workers, many runs at once, and one run of many agents, on this machine. */
export async function showClusterScale({ soloRuns, teamRuns, associates }: ClusterSizes): Promise<boolean> {
  const [postgres, restate] = await Promise.all([PostgresServer.start(serverSettings), RestateServer.start()]);
  const [port = 0] = await freePorts(1);
  const url = postgres.url('scale');
  const where = { ingress: restate.ingress, admin: restate.admin, name: 'scale' };
  const journal = createPostgresJournal({ url });
  const engine = await createEngine({ ...clusterTeam, store: journal, runtime: restateRuntime(where) });
  const workers: ChildProcess[] = [];
  const solo: Job = { name: 'one agent', profile: 'Solo', input: 'Look.', runs: soloRuns, turnsEach: soloTurns };
  try {
    console.log('job                     workers     runs    turns  seconds   runs/s  turns/s  CPU ms/turn (workers, launcher)');
    for (let count = 1; count <= mostWorkers; count += 1) {
      const args = [url, where.ingress, where.admin, String(port), where.name];
      workers.push(await startWorker(args));
      await measure(engine, workers, { ...solo, runs: 20 }, { isWarmUp: true });
      await measure(engine, workers, solo);
    }
    const team = { profile: 'Lead', input: 'associates: 5', runs: teamRuns, turnsEach: leadTurns(5) } as const;
    await measure(engine, workers, { name: 'six agents', ...team });
    const large = { profile: 'Lead', input: `associates: ${associates}`, runs: 1, turnsEach: leadTurns(associates) } as const;
    await measure(engine, workers, { name: `${associates + 1} agents`, ...large });
  } finally {
    await engine.close({ graceMs: 0 });
    await journal.close();
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all([postgres.remove(), restate.remove()]);
  }
  return true;
}

async function startWorker(args: readonly string[]): Promise<ChildProcess> {
  const worker = fork(path.join(import.meta.dirname, 'cluster-worker.ts'), [...args], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [said] = (await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(([code]) => Promise.reject(new Error(`a worker ended with ${String(code)}`))),
  ])) as readonly unknown[];
  if (said !== 'ready') throw new Error(`a worker said ${String(said)}`);
  return worker;
}

async function cpuOf(workers: readonly ChildProcess[]): Promise<readonly number[]> {
  return await Promise.all(
    workers.map(async (worker) => {
      const answer = once(worker, 'message');
      worker.send('cpu');
      return Number((await answer)[0]);
    }),
  );
}

async function measure(
  engine: Engine,
  workers: readonly ChildProcess[],
  { name, profile, input, runs, turnsEach }: Job,
  { isWarmUp = false } = {},
): Promise<void> {
  const before = await cpuOf(workers);
  const own = cpuMicros();
  const began = performance.now();
  const ended = await Promise.all(
    Array.from({ length: runs }, async () => {
      const run = await engine.launch({ profile, input });
      return { result: await run.result, turns: run.state.counters.turns };
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const after = await cpuOf(workers);
  const failed = ended.filter(({ result, turns }) => result.status !== 'completed' || turns !== turnsEach);
  if (failed.length > 0)
    throw new Error(
      `${failed.length} of ${runs} runs ended otherwise, the first ${failed[0]?.result.status} after ${failed[0]?.turns} turns`,
    );
  if (isWarmUp) return;
  const turns = runs * turnsEach;
  const each = after.map((micros, index) => (micros - (before[index] ?? 0)) / 1000);
  const all = each.reduce((sum, ms) => sum + ms, 0);
  const cells = [workers.length, runs, turns, seconds.toFixed(1), (runs / seconds).toFixed(1), (turns / seconds).toFixed(0)];
  const shares = each.map((ms) => `${((100 * ms) / all).toFixed(0)} %`).join(', ');
  const cpu = `${(all / turns).toFixed(2)} (${shares}), ${((cpuMicros() - own) / 1000 / turns).toFixed(2)}`;
  console.log(`${name.padEnd(22)}${cells.map((cell) => String(cell).padStart(9)).join('')}  ${cpu}`);
}
