/*
 * `npm run test:kill`: the whole sweep, as a table. Exits with 1 unless every run was resumed, nothing was lost and nothing was
 * repeated. `-- --seed 7` chooses other instants, `-- --cluster` kills workers, Restate and PostgreSQL instead.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { clusterKillSweep } from '../restate/kill-sweep.ts';
import { killSweep } from './kill-sweep.ts';

const help = `npm run test:kill -- [--kills 400] [--seed N]             the bundled team, killed at every write and at random instants
npm run test:kill -- --cluster [--kills 300] [--seed N]   workers, Restate and PostgreSQL, killed at commits and at random instants

Every run is resumed and compared with one that nobody killed. The table goes to stdout, progress to stderr. With fewer kills
than 400 only some of the writes are killed at.`;

/** Milliseconds within which the work of a killed worker goes on elsewhere. */
const mostFailOverMs = 10_000;

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    cluster: { type: 'boolean', default: false },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const wanted = wholeNumber('kills', values.kills ?? (values.cluster ? '300' : '400'));
const seed = wholeNumber('seed', values.seed);
/** What 400 kills take, scaled: each process has several runs, and some runs are done before they are killed. */
const share = wanted / 400;
const size = {
  everyWrite: Math.max(1, Math.floor(1 / share)),
  random: Math.ceil(33 * share),
  recovery: Math.ceil(18 * share),
};

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= (name === 'kills' ? 1 : 0)) return value;
  console.error(`--${name} must be a whole number, but is '${text}'`);
  process.exit(2);
}

const began = performance.now();
process.exitCode = values.cluster ? await sweepCluster() : await sweepProcesses();

/** Prints a table, and the first problems. */
function print(rows: readonly (readonly [string, string | number])[], problems: readonly string[]): void {
  for (const [what, value] of rows) console.log(`${what.padEnd(48)}${value}`);
  for (const problem of problems.slice(0, 20)) console.error(problem);
}

/** Kills processes of the bundled team, each with runs of its own. */
async function sweepProcesses(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-kill-'));
  try {
    const report = await killSweep(path.join(folder, 'sweep'), {
      ...size,
      seed,
      onProgress: (done, all) => console.error(`${done} of ${all} jobs done, ${seconds()} s`),
    });
    const rows: readonly (readonly [string, string | number])[] = [
      ['seed', seed],
      ['processes killed', report.processes],
      ['runs killed in the middle', report.kills],
      ['resumed to the same report', report.resumed],
      ['lost or broken', report.lost],
      ['silently repeated', report.repeated],
      ['writes of a run, each killed before and after', report.writes],
      ...Object.entries(report.seen),
      ['seconds', (report.ms / 1_000).toFixed(1)],
    ];
    print(rows, report.problems);
    const isGood = report.problems.length === 0 && report.resumed === report.kills && report.kills >= wanted;
    if (report.kills < wanted) console.error(`only ${report.kills} of ${wanted} kills hit a run in the middle`);
    return isGood ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills workers of a runtime and its servers, which share runs. */
async function sweepCluster(): Promise<number> {
  const onProgress = (killed: number): void => {
    if (killed % 20 === 0) console.error(`${killed} of ${wanted} kills, ${seconds()} s`);
  };
  const report = await clusterKillSweep({ kills: wanted, seed, onProgress });
  const { failOverMs, plainFailOverMs } = report;
  const rows: readonly (readonly [string, string | number])[] = [
    ['seed', seed],
    ...Object.entries(report.kills).map(([kind, count]) => [`killed: ${kind}`, count] as const),
    ['runs', report.runs],
    ['finished', report.finished],
    ['waiting for a person', report.awaiting],
    ['lost or broken', report.lost],
    ['silently repeated', report.repeated],
    ['calls of unknown outcome, told to the model', report.unknown],
    ['calls cut off with their worker', failOverMs.length],
    ['fail-over of a worker, middle and longest', `${middle(plainFailOverMs)} and ${plainFailOverMs.at(-1) ?? 0} ms`],
    ['the same with servers killed meanwhile', `${middle(failOverMs)} and ${failOverMs.at(-1) ?? 0} ms`],
    ['all at rest after the last kill', `${report.restMs} ms`],
    ['seconds', seconds()],
  ];
  print(rows, report.problems);
  const isGood = report.problems.length === 0 && report.finished + report.awaiting === report.runs;
  return isGood && (plainFailOverMs.at(-1) ?? 0) < mostFailOverMs ? 0 : 1;
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function seconds(): string {
  return ((performance.now() - began) / 1_000).toFixed(0);
}
