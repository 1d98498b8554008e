import { isDeepStrictEqual } from 'node:util';
import { simulateCluster } from './cluster/simulate-cluster.ts';
import { simulate, type SimulationResult } from './simulation.ts';
import type { SimulationOptions } from './world/world.ts';

/** Options of a shard: the seeds that one process runs. */
export interface ShardOptions {
  readonly from: number;
  /** The distance to the next seed: processes share the seeds out among them. */
  readonly stride: number;
  /** Simulated runs, those of sweeps included. */
  readonly runs: number;
  /** Failing runs after which it stops; 10 unless given. */
  readonly mostFailures?: number;
  /** Of one seed in so many, every decision is made again from the journal; of all of them unless given. */
  readonly decisionsEvery?: number;
  /** Simulates workers of a runtime instead of one process after the other. */
  readonly isCluster?: boolean;
}

/** Of a result, what a report is made of. */
type SeedResult = Pick<SimulationResult, 'options' | 'isFaulted' | 'moments' | 'steps' | 'journals' | 'violations'> & {
  readonly counts: Readonly<Record<string, number>>;
};

/** Runs one seed, of either kind. */
type Simulate = (options: SimulationOptions) => Promise<SeedResult>;

/** A run that broke an invariant. */
export interface Failure {
  readonly options: SimulationOptions;
  readonly violations: readonly string[];
  readonly isCluster?: boolean;
}

/** Result of a shard. */
export interface ShardReport {
  runs: number;
  faulted: number;
  steps: number;
  /** Runs that were made a second time, to see whether they go the same way. */
  replays: number;
  cpuMs: number;
  /** Number of times each kind of fault, and each mechanism, was reached. */
  readonly counts: Record<string, number>;
  readonly failures: Failure[];
}

/** Every so many seeds one is run a second time, and another is run without faults but for a crash, at every moment in turn. */
const replayEvery = 50;
const sweepEvery = 100;
/** Runs after which a shard says on stderr how far it is. */
const progressEvery = 1_000;
/** Most moments of one sweep: a run that lasts long is swept at some of its moments, so that other seeds have their turn. */
const mostMoments = 150;

/** Runs seeds in sequence, each with different faults; some are replayed, some swept with crashes. */
export async function runShard(options: ShardOptions): Promise<ShardReport> {
  const { from, stride, runs, mostFailures = 10, decisionsEvery = 1, isCluster = false } = options;
  const simulateSeed: Simulate = isCluster ? simulateCluster : simulate;
  const report: ShardReport = { runs: 0, faulted: 0, steps: 0, replays: 0, cpuMs: 0, counts: {}, failures: [] };
  const before = process.threadCpuUsage();
  const isDone = (): boolean => report.runs >= runs || report.failures.length >= mostFailures;
  for (let index = 0; !isDone(); index++) {
    const seed = from + index * stride;
    const seeded = index % decisionsEvery === 0 ? { seed } : { seed, skipsDecisions: true };
    const result = note(report, await simulateSeed(seeded));
    if (index % replayEvery === 0) await replay(report, result, simulateSeed);
    if (index % sweepEvery === 1) await sweep(report, seeded, { isDone, simulateSeed });
  }
  const used = process.threadCpuUsage(before);
  if (isCluster) report.failures.splice(0, Infinity, ...report.failures.map((failure) => ({ ...failure, isCluster })));
  report.cpuMs = Math.round((used.user + used.system) / 1000);
  return report;
}

/** Puts the reports of several processes together. */
export function joinReports(reports: readonly ShardReport[]): ShardReport {
  const total: ShardReport = { runs: 0, faulted: 0, steps: 0, replays: 0, cpuMs: 0, counts: {}, failures: [] };
  for (const report of reports) {
    for (const key of ['runs', 'faulted', 'steps', 'replays', 'cpuMs'] as const) total[key] += report[key];
    addCounts(total.counts, report.counts);
    total.failures.push(...report.failures);
  }
  return total;
}

/** The line that reproduces a failing run, with what it broke behind it. */
export function reproduce({ options, violations, isCluster = false }: Failure): string {
  const crash = options.crashAt === undefined ? '' : ` --crash-at ${options.crashAt}`;
  return `npm run simulate --${isCluster ? ' --cluster' : ''} --seed ${options.seed}${crash}   # ${(violations[0] ?? '').split('\n', 1)[0]}`;
}

function note(report: ShardReport, result: SeedResult): SeedResult {
  report.runs += 1;
  report.steps += result.steps;
  if (result.isFaulted) report.faulted += 1;
  addCounts(report.counts, result.counts);
  if (result.violations.length > 0) report.failures.push({ options: result.options, violations: result.violations });
  if (report.runs % progressEvery === 0)
    process.stderr.write(`seed ${result.options.seed}: ${report.runs} runs, ${report.failures.length} failed\n`);
  return result;
}

async function replay(report: ShardReport, first: SeedResult, simulateSeed: Simulate): Promise<void> {
  const second = await simulateSeed(first.options);
  report.replays += 1;
  if (!isDeepStrictEqual(second.journals, first.journals))
    report.failures.push({ options: first.options, violations: ['the same seed goes another way the second time'] });
}

/** Runs a seed without faults, then with a crash at each moment of that run, or at moments all over it. */
async function sweep(
  report: ShardReport,
  seeded: SimulationOptions,
  { isDone, simulateSeed }: { readonly isDone: () => boolean; readonly simulateSeed: Simulate },
): Promise<void> {
  const { moments } = await simulateSeed({ ...seeded, crashAt: Number.MAX_SAFE_INTEGER });
  const step = Math.max(1, moments / mostMoments);
  for (let at = 1 + (seeded.seed % step); at <= moments && !isDone(); at += step)
    note(report, await simulateSeed({ ...seeded, crashAt: Math.floor(at) }));
}

function addCounts(total: ShardReport['counts'], more: ShardReport['counts']): void {
  for (const [kind, count] of Object.entries(more)) total[kind] = (total[kind] ?? 0) + count;
}
