/*
 * `npm run test:cuts`: each outside part is restarted, reset, silenced for 8 s and half-closed while runs launch and in their middle. Prints a
 * table; exits with 1 unless every process lived, every run finished or waits for a person, nothing was done twice, and nothing stood still for
 * more than 15 s.
 */
import { parseArgs } from 'node:util';
import { partNames } from './cut-parts.ts';
import { allCases, cutNames, cutSweep } from './cut-sweep.ts';

const help = `npm run test:cuts -- [--part ${partNames.join('|')}] [--cut ${cutNames.join('|')}] [--runs 100]`;
const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    cut: { type: 'string', multiple: true },
    runs: { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
});
const cases = allCases({ ...(values.part && { parts: values.part }), ...(values.cut && { cuts: values.cut }) });
const runs = Number(values.runs);
if (values.help || cases.length === 0 || !Number.isSafeInteger(runs) || runs < 2) {
  console.log(help);
  process.exit(values.help ? 0 : 2);
}
let isBad = false;
console.log(['part', 'cut', 'moment', 'finished', 'waiting', 'longest gap', 'seconds'].map((word) => word.padEnd(12)).join(''));
for await (const { part, cut, moment, finished, waiting, longestGapMs, ms, problems } of cutSweep(cases, runs)) {
  const cells = [part, cut, moment, finished, waiting, `${(longestGapMs / 1_000).toFixed(1)} s`, (ms / 1_000).toFixed(0)];
  console.log(cells.map((cell) => String(cell).padEnd(12)).join('') + (problems.length === 0 ? '' : 'PROBLEMS'));
  for (const problem of problems.slice(0, 10)) console.error(`  ${problem}`);
  isBad ||= problems.length > 0;
}
process.exitCode = isBad ? 1 : 0;
