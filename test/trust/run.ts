/*
 * Measures the promises of the trust table and prints each with its numbers: `npm run trust`, `npm run trust -- --quick`, and
 * `npm run trust -- N10 N11` for some of them. Ends with 1 when one is missed.
 */
import { checkRows } from '../rows/check-rows.ts';
import { seed, trustRows } from './rows.ts';

const words = process.argv.slice(2);
if (words.includes('--rows')) process.exit(await checkRows(words.filter((word) => !word.startsWith('--'))));
if (words.includes('--help')) {
  console.log('npm run trust -- [--quick] [ROW…]   measures every promise, the short version, or some rows; the rows:\n');
  for (const { id, promise, isLong } of trustRows)
    console.log(`  ${id.padEnd(5)} ${promise}${isLong === true ? ' (not with --quick)' : ''}`);
  process.exit(0);
}
const quick = words.includes('--quick');
const wanted = words.filter((word) => !word.startsWith('--'));
const rows = trustRows.filter(({ id, isLong }) => (wanted.length === 0 ? !(quick && isLong === true) : wanted.includes(id)));
const begin = performance.now();
let misses = 0;

console.log(`seed ${seed}, Node ${process.version}${quick ? ', the short version' : ''}\n`);
for (const { id, promise, goal, measure } of rows) {
  console.error(`begins ${id.padEnd(5)} ${promise}`);
  const from = performance.now();
  const { ok, numbers } = await measure(quick).catch((thrown: unknown) => ({ ok: false, numbers: String(thrown) }));
  if (!ok) misses++;
  const seconds = ((performance.now() - from) / 1_000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'MISS  '} ${id.padEnd(5)} ${promise} (${goal})\n             ${numbers} [${seconds} s]`);
}
console.log(
  `\n${misses === 0 ? 'every promise is kept' : `${misses} missed`}, in ${((performance.now() - begin) / 1_000).toFixed(0)} s`,
);
process.exitCode = misses === 0 ? 0 : 1;
