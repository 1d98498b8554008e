import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { CadreEvent, Run } from '../../src/index.ts';
import { checkJournal } from '../../src/testing/check-journal.ts';
import { seededRandom } from '../faults/seeded-random.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { RestateServer } from '../support/restate/restate-server.ts';
import { until } from '../support/runtime/until.ts';
import { TestCluster } from './cluster.ts';
import type { CommitOrder } from './worker-process.ts';

/** How a process is killed. */
const killKinds = [
  'worker at random',
  'worker before a commit',
  'worker after a commit',
  'Restate at random',
  'Restate at a commit',
  'PostgreSQL at random',
  'PostgreSQL at a commit',
] as const;
type KillKind = (typeof killKinds)[number];

/** Options of a sweep. */
export interface ClusterSweepOptions {
  readonly kills: number;
  readonly seed: number;
  readonly onProgress?: (killed: number) => void;
}

/** Result of a sweep. */
export interface ClusterSweepReport {
  readonly kills: Readonly<Record<KillKind, number>>;
  readonly runs: number;
  readonly finished: number;
  readonly awaiting: number;
  /** Calls of unknown outcome, which the model was told of. */
  readonly unknown: number;
  /** Unsafe calls that were made twice, and effects before their commit. */
  readonly repeated: number;
  /** Runs that did not come to rest, broke an invariant, or lost a result. */
  readonly lost: number;
  /** Milliseconds from the kill of a worker until each call that it ran went on elsewhere or was answered; sorted. */
  readonly failOverMs: readonly number[];
  /** Those between which no server was killed, too. */
  readonly plainFailOverMs: readonly number[];
  readonly restMs: number;
  readonly problems: readonly string[];
}

/** A call that ran on a worker when that was killed. */
interface CutCall {
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly at: number;
}

/** Runs at a time. */
const crowd = 6;

/** Kills workers, Restate and PostgreSQL while runs go on, then holds every run against its journal and what its tools did. */
export async function clusterKillSweep(options: ClusterSweepOptions): Promise<ClusterSweepReport> {
  const [postgres, restate] = await Promise.all([PostgresServer.start(), RestateServer.start()]);
  try {
    await using cluster = await TestCluster.start(3, restate, postgres);
    const sweep = new Sweep(cluster, { postgres, restate }, options);
    return await sweep.run();
  } finally {
    await Promise.all([postgres.remove(), restate.remove()]);
  }
}

class Sweep {
  readonly #cluster: TestCluster;
  readonly #servers: { readonly postgres: PostgresServer; readonly restate: RestateServer };
  readonly #options: ClusterSweepOptions;
  readonly #upTo: (most: number) => number;
  readonly #runs: Run[] = [];
  readonly #kills: Record<KillKind, number>;
  readonly #cut: CutCall[] = [];
  readonly #serverKills: number[] = [];

  constructor(
    cluster: TestCluster,
    servers: { readonly postgres: PostgresServer; readonly restate: RestateServer },
    options: ClusterSweepOptions,
  ) {
    this.#cluster = cluster;
    this.#servers = servers;
    this.#options = options;
    const random = seededRandom(options.seed);
    this.#upTo = (most) => random.below(Math.max(1, most));
    this.#kills = Object.fromEntries(killKinds.map((kind) => [kind, 0])) as Record<KillKind, number>;
  }

  async run(): Promise<ClusterSweepReport> {
    const { kills, onProgress } = this.#options;
    for (let killed = 0; killed < kills; killed += 1) {
      while (this.#working.length < crowd) await this.#launch();
      await pause(this.#upTo(500));
      await this.#kill(this.#nextKind(killed));
      onProgress?.(killed + 1);
    }
    const began = performance.now();
    await until(() => this.#working.length === 0, 180).catch(() => undefined);
    return await this.#report(Math.round(performance.now() - began));
  }

  /** Every kind in turn at first, so that a short sweep has them all; workers more often than servers after that. */
  #nextKind(killed: number): KillKind {
    const inTurn = killKinds[killed];
    if (inTurn !== undefined) return inTurn;
    const dice = this.#upTo(100);
    const place = dice < 25 ? 0 : dice < 45 ? 1 : dice < 65 ? 2 : 3 + (dice % 4);
    return killKinds[place] ?? 'worker at random';
  }

  get #working(): readonly Run[] {
    return this.#runs.filter(({ state }) => state.outcome === undefined && state.status !== 'awaiting');
  }

  async #launch(): Promise<void> {
    // A run that asks a person before it pays waits for one.
    const profile = this.#upTo(10) === 0 ? 'Asks' : 'Root';
    const steps = profile === 'Asks' ? ['pay'] : ['look', 'note', 'pay', 'pay'];
    const count = 2 + this.#upTo(4);
    const plan = Array.from({ length: count }, () => `${steps[this.#upTo(steps.length)]} ${this.#upTo(700)}`).join('; ');
    try {
      this.#runs.push(await this.#cluster.engine.launch({ profile, input: `plan: ${plan}; say finished` }));
    } catch {
      // Not acknowledged: a server was away for too long.
    }
  }

  async #kill(kind: KillKind): Promise<void> {
    this.#kills[kind] += 1;
    if (kind.startsWith('worker')) return await this.#killWorker(kind);
    if (kind.endsWith('commit')) await this.#nextCommit();
    const server = kind.startsWith('Restate') ? this.#servers.restate : this.#servers.postgres;
    this.#serverKills.push(Date.now());
    await server.kill();
    await pause(this.#upTo(300));
    await server.launch();
    this.#serverKills.push(Date.now());
  }

  async #killWorker(kind: KillKind): Promise<void> {
    const worker = this.#anyWorker();
    const gone = once(worker, 'exit');
    if (kind === 'worker at random') worker.kill('SIGKILL');
    else worker.send({ side: kind === 'worker before a commit' ? 'before' : 'after', does: 'die' } satisfies CommitOrder);
    // A worker that has nothing to commit is killed all the same.
    const late = setTimeout(() => worker.kill('SIGKILL'), 5_000);
    await gone;
    clearTimeout(late);
    this.#noteCut(worker, Date.now());
    await this.#startWorker();
  }

  /** Notes the calls that a dead worker ran: those go on elsewhere. */
  #noteCut({ pid }: ChildProcess, at: number): void {
    const lines = this.#cluster.did.filter((line) => line.pid === pid);
    for (const { kind, runId, callId, attempt } of lines) {
      const isOver = lines.some((line) => line.kind !== 'begin' && line.runId === runId && line.callId === callId);
      if (kind === 'begin' && !isOver) this.#cut.push({ runId, callId, attempt, at });
    }
  }

  /** Resolves at the moment at which a worker commits. */
  async #nextCommit(): Promise<void> {
    const worker = this.#anyWorker();
    const told = once(worker, 'message');
    worker.send({ side: this.#upTo(2) === 0 ? 'before' : 'after', does: 'tell' } satisfies CommitOrder);
    await Promise.race([told, pause(5_000)]);
  }

  #anyWorker(): ChildProcess {
    const alive = this.#cluster.workers.filter((worker) => worker.exitCode === null && worker.signalCode === null);
    const worker = alive[this.#upTo(alive.length)];
    if (worker === undefined) throw new Error('no worker is alive');
    return worker;
  }

  async #startWorker(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#cluster.startWorker();
        return;
      } catch (thrown) {
        // One that begins while a server comes back ends with an error, as it should.
        if (attempt === 5) throw thrown;
      }
    }
  }

  async #report(restMs: number): Promise<ClusterSweepReport> {
    const problems: string[] = [];
    const tally = { finished: 0, awaiting: 0, unknown: 0, repeated: 0, lost: 0 };
    const failOvers: { readonly ms: number; readonly isPlain: boolean }[] = [];
    for (const run of this.#runs) {
      const events = await this.#cluster.journal.read(run.id);
      const found = this.#check(run, events);
      problems.push(...found.lost, ...found.repeated);
      tally.unknown += found.unknown;
      tally.repeated += found.repeated.length;
      if (found.lost.length > 0) tally.lost += 1;
      if (run.state.outcome !== undefined) tally.finished += 1;
      else if (run.pending.length > 0) tally.awaiting += 1;
      failOvers.push(...this.#failOvers(run.id, events));
    }
    const sorted = (all: typeof failOvers): readonly number[] => all.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return {
      kills: this.#kills,
      runs: this.#runs.length,
      ...tally,
      failOverMs: sorted(failOvers),
      plainFailOverMs: sorted(failOvers.filter(({ isPlain }) => isPlain)),
      restMs,
      problems,
    };
  }

  /** Holds one run against what its tools did. */
  #check(run: Run, events: readonly CadreEvent[]) {
    const lost: string[] = checkJournal(events).map(
      ({ invariant, seq, message }) => `${run.id}: ${invariant} at ${seq}: ${message}`,
    );
    const repeated: string[] = [];
    let unknown = 0;
    const isAtRest = run.state.outcome === undefined ? run.pending.length > 0 : run.state.output === 'finished';
    if (!isAtRest) lost.push(`${run.id} is ${run.state.status}: ${run.state.output ?? ''}`);
    const lines = this.#cluster.did.filter(({ runId }) => runId === run.id);
    for (const line of lines)
      if (line.kind === 'begin' && line.tool !== 'look' && line.isCommitted !== true)
        repeated.push(`${run.id}: ${line.callId} ran before its commit`);
    const names = new Map(events.flatMap((event) => (event.type === 'tool.request' ? [[event.callId, event.name] as const] : [])));
    for (const event of events) {
      if (event.type !== 'tool.end') continue;
      const begun = lines.filter(({ callId, kind }) => callId === event.callId && kind === 'begin').length;
      const ended = lines.filter(({ callId, kind }) => callId === event.callId && kind === 'end').length;
      if (names.get(event.callId) === 'pay' && begun > 1) repeated.push(`${run.id}: ${event.callId} was paid ${begun} times`);
      if (event.status === 'unknown') unknown += 1;
      else if (event.status !== 'ok' || ended === 0)
        lost.push(`${run.id}: ${event.callId} is ${event.status}, and ended ${ended} times`);
    }
    return { lost, repeated, unknown };
  }

  #failOvers(runId: string, events: readonly CadreEvent[]) {
    return this.#cut.flatMap((cut) => {
      if (cut.runId !== runId) return [];
      // It is answered, or made again.
      const next = events.find((event) => event.type === 'tool.end' && event.callId === cut.callId);
      const begunAgain = this.#cluster.did.find(
        (line) => line.runId === runId && line.callId === cut.callId && line.kind === 'begin' && (line.at ?? 0) > cut.at,
      );
      const at = Math.min(next?.at ?? Infinity, begunAgain?.at ?? Infinity);
      if (at === Infinity) return [];
      return [{ ms: at - cut.at, isPlain: !this.#serverKills.some((killed) => killed > cut.at - 5_000 && killed < at) }];
    });
  }
}
