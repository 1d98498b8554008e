import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../cli/cli-process.ts';
import { failure } from '../contracts/journal-contract.ts';
import { runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';

const runId = sampleRun('run_1');

/** Returns the file of a run's journal that a process holds, damaged by a statement. */
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
  ["owner = '1@elsewhere#n', since = 9e15", 'RUN_LOCKED', /since an invalid time/],
  ["owner = '1@elsewhere#n', since = 'never'", 'RUN_LOCKED', /since an invalid time/],
  ["epoch = 'x'", 'STORE_CORRUPT', /table leases, row run_1: its epoch "x" is not a whole number/],
  ['epoch = 9007199254740992', 'STORE_CORRUPT', /holds a number that Cadre never writes/],
] as const)('a lease with %s fails with %s, which says why', async (change, code, says) => {
  const file = await damaged(`UPDATE leases SET ${change}`);
  await using journal = { value: createSqliteJournal(file), [Symbol.asyncDispose]: async () => journal.value.close() };
  const error = await failure(code, () => journal.value.acquire(runId, sampleOwner('b')));
  expect(error.message).toMatch(says);
});

it.each([
  ['expiry_ms = 1e308', 30],
  ['expiry_ms = 9e999', 30],
  ['expiry_ms = -1', 30],
  ['beat_ms = 0', 30],
  ['expiry_ms = 60000', 60],
] as const)('times of a holder elsewhere that are none (%s) are the usual ones', async (change, seconds) => {
  const file = await damaged(
    `UPDATE leases SET owner = '1@elsewhere#n';
     INSERT INTO owners (owner, machine, clock, pid, born, beat, beat_at, beat_ms, expiry_ms) VALUES ('1@elsewhere#n', 'm', 'c', 1, 'b', 1, 1, 5000, 30000);
     UPDATE owners SET ${change}`,
  );
  const journal = createSqliteJournal(file);
  const error = await failure('RUN_LOCKED', () => journal.acquire(runId, sampleOwner('b')));
  expect(Math.ceil(Number(error.details['knownInMs']) / 1_000)).toBe(seconds);
  await journal.close();
});

it('no run is called `.` or `..`: folders are called by ids', async () => {
  const file = await damaged('SELECT 1');
  const journal = createSqliteJournal(file);
  for (const id of ['.', '..']) await failure('OPTION_INVALID', () => journal.acquire(sampleRun(id), sampleOwner('b')));
  await journal.close();
});

it('a number that no program can hold is damage, not a store that failed', async () => {
  const file = await damaged('UPDATE commits SET last_seq = 9007199254740993');
  const journal = createSqliteJournal(file);
  const error = await failure('STORE_CORRUPT', () => journal.runs());
  expect(error.message).toContain('listing the runs: it holds a number that Cadre never writes');
  await journal.close();
});
