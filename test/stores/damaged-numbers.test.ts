import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createSqliteJournal } from '../../src/stores/sqlite-journal.ts';
import { temporaryFolder } from '../cli/cli-process.ts';
import { failure } from '../contracts/journal-contract.ts';
import { runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';

const runId = sampleRun('run_1');

/** A journal of one run that a process holds, damaged by a statement. */
async function damaged(sql: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'journal.db');
  const journal = createSqliteJournal(file);
  const lease = await journal.acquire(runId, sampleOwner('a'));
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
  await journal.close();
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return file;
}

it.each([
  ["owner = '1@elsewhere#n', since = 9e15", 'RUN_LOCKED', /since a time that is none/],
  ["owner = '1@elsewhere#n', since = 'never'", 'RUN_LOCKED', /since a time that is none/],
  ["epoch = 'x'", 'STORE_CORRUPT', /table leases, row run_1: its epoch "x" is not a whole number/],
  ['epoch = 9007199254740992', 'STORE_CORRUPT', /number in it is none that Cadre writes/],
] as const)('a lease with %s fails with %s, which says why', async (change, code, says) => {
  const file = await damaged(`UPDATE leases SET ${change}`);
  await using journal = { value: createSqliteJournal(file), [Symbol.asyncDispose]: async () => journal.value.close() };
  const error = await failure(code, () => journal.value.acquire(runId, sampleOwner('b')));
  expect(error.message).toMatch(says);
});

it('a number that no program can hold is damage, not a store that failed', async () => {
  const file = await damaged('UPDATE commits SET last_seq = 9007199254740993');
  const journal = createSqliteJournal(file);
  const error = await failure('STORE_CORRUPT', () => journal.runs());
  expect(error.message).toContain('listing the runs: a number in it is none that Cadre writes');
  await journal.close();
});
