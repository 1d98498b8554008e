/*
 * Lists the rows of the requirements that no test has shown on this machine, since every test that cites them was skipped:
 * `node test/rows/list-skipped.ts quick.json system.json`, with the JSON reports of all tests.
 */
import { readFileSync } from 'node:fs';
import { requirements } from '../requirements.ts';

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Report);
const tests = reports.flatMap(({ testResults }) => testResults).flatMap(({ assertionResults }) => assertionResults);
const shown = tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName);
const rows = requirements.filter(({ id, status }) => status === 'verified' && !shown.some((title) => title.includes(`[${id}]`)));
console.log(
  rows.length === 0 ? 'every row has a passing test' : `rows without a passing test here: ${rows.map(({ id }) => id).join(' ')}`,
);
