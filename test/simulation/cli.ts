import { parseArgs } from 'node:util';
import { clusterFaultKinds } from './cluster/cluster-faults.ts';
import { simulateCluster } from './cluster/simulate-cluster.ts';
import { faultKinds } from './world/faults.ts';
import { mechanisms } from './world/mechanisms.ts';
import { runInThread } from './in-thread.ts';
import { checkMutants } from './mutants.ts';
import { joinReports, reproduce, runShard, type ShardReport } from './shard.ts';
import { simulate } from './simulation.ts';

const help = `npm run simulate -- [--runs 100000] [--from 1] [--workers 2]   many seeds, each with faults of its own
               [--decisions-every 1]                          of one seed in so many, each decision is made again from the journal
npm run simulate -- --seed N [--crash-at M]                    one of them again, as a failure named it
npm run simulate -- --cluster …                               workers of a runtime over one journal, instead of one process after the other
npm run simulate -- --mutants [word]                           each planted bug must be found`;

/** Runs below which it is chance that a kind of fault was not reached. */
const fewRuns = 2_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '100000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    'most-failures': { type: 'string', default: '10' },
    'decisions-every': { type: 'string', default: '1' },
    seed: { type: 'string' },
    'crash-at': { type: 'string' },
    cluster: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Everything that must be reached: faults, and what runs come by without them. */
const sights: Readonly<Record<string, string>> = values.cluster ? clusterFaultKinds : { ...faultKinds, ...mechanisms };

// A reader that has seen enough (`| head`) ends the program quietly.
process.stdout.on('error', (error: Error & { readonly code?: string }) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

if (values.help) console.log(help);
else if (values.mutants) process.exitCode = await checkMutants(positionals);
else if (values.seed !== undefined) process.exitCode = await one(Number(values.seed));
else process.exitCode = await many();

/** Runs one seed and says how it came out. */
async function one(seed: number): Promise<number> {
  const crashAt = values['crash-at'];
  const options = crashAt === undefined ? { seed } : { seed, crashAt: Number(crashAt) };
  const result = values.cluster ? await simulateCluster(options) : await simulate(options);
  const events = result.journals.flat();
  for (const event of events) console.log(JSON.stringify(event).slice(0, 3_000));
  console.log(`\n${events.length} events, ${result.steps} steps, ${result.moments} moments at which it may crash`);
  console.log(
    `faults: ${
      Object.entries(result.counts)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', ') || 'none'
    }`,
  );
  for (const violation of result.violations) console.log(violation);
  console.log(result.violations.length === 0 ? 'every invariant holds' : `${result.violations.length} violation(s)`);
  return result.violations.length === 0 ? 0 : 1;
}

/** Shares the seeds out among threads and prints what came of them. */
async function many(): Promise<number> {
  const [runs, from, workers] = [Number(values.runs), Number(values.from), Number(values.workers)];
  const started = performance.now();
  const shards = Array.from({ length: workers }, (_, index) => ({
    from: from + index,
    stride: workers,
    runs: Math.ceil(runs / workers),
    mostFailures: Number(values['most-failures']),
    decisionsEvery: Number(values['decisions-every']),
    isCluster: values.cluster,
  }));
  const [alone] = shards;
  const report =
    workers === 1 && alone !== undefined ? await runShard(alone) : joinReports(await Promise.all(shards.map(runInThread)));
  if (values.json) {
    console.log(JSON.stringify(report));
    return report.failures.length === 0 ? 0 : 1;
  }
  const seconds = (performance.now() - started) / 1000;
  const missed = Object.keys(sights).filter((kind) => (report.counts[kind] ?? 0) === 0);
  print(report, seconds);
  for (const failure of report.failures) console.log(reproduce(failure));
  if (missed.length > 0) console.log(`never reached: ${missed.join(', ')}`);
  return report.failures.length > 0 || (missed.length > 0 && runs >= fewRuns) ? 1 : 0;
}

function print(report: ShardReport, seconds: number): void {
  const width = Math.max(...Object.keys(sights).map((kind) => kind.length));
  for (const [kind, means] of Object.entries(sights))
    console.log(`${kind.padEnd(width)} ${String(report.counts[kind] ?? 0).padStart(9)}  ${means}`);
  const cpu = report.cpuMs / 1000;
  console.log(
    `\n${report.runs} runs, ${report.faulted} of them with faults, ${report.replays} replayed, ${report.failures.length} failed; ` +
      `${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s of CPU, ${((cpu * 1000) / report.runs).toFixed(2)} ms each`,
  );
}
