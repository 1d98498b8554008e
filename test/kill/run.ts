/*
 * `npm run test:kill`: the whole sweep, as a table. Exits with 1 unless every run was resumed, nothing was lost and nothing was
 * repeated. `-- --seed 7` chooses other instants.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { killSweep } from './kill-sweep.ts';

const help = `npm run test:kill -- [--kills 400] [--seed N]   the bundled team, killed at every write and at random instants

Every run is resumed and compared with one that nobody killed. The table goes to stdout, progress to stderr. With fewer kills
than 400 only some of the writes are killed at.`;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '400' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const wanted = wholeNumber('kills', values.kills);
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
const folder = mkdtempSync(path.join(tmpdir(), 'cadre-kill-'));
try {
  const report = await killSweep(path.join(folder, 'sweep'), {
    ...size,
    seed,
    onProgress: (done, all) => console.error(`${done} of ${all} jobs done, ${((performance.now() - began) / 1_000).toFixed(0)} s`),
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
  for (const [what, value] of rows) console.log(`${what.padEnd(48)}${value}`);
  for (const problem of report.problems.slice(0, 20)) console.error(problem);
  const isGood = report.problems.length === 0 && report.resumed === report.kills && report.kills >= wanted;
  if (report.kills < wanted) console.error(`only ${report.kills} of ${wanted} kills hit a run in the middle`);
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
