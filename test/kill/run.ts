/*
 * `npm run test:kill`: the whole sweep, as a table. Exits with 1 unless every run was resumed, nothing was lost and nothing was
 * repeated. `SEED=7` chooses other instants.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killSweep } from './kill-sweep.ts';

const wanted = 400;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const folder = mkdtempSync(path.join(tmpdir(), 'cadre-kill-'));
try {
  const report = await killSweep(path.join(folder, 'sweep'), { everyWrite: 1, random: 33, recovery: 18, seed });
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
