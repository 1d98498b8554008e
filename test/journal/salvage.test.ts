import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { salvageRun } from '../../src/journal/sqlite/salvage-run.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { runCli } from '../cli/cli-process.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';

let file = '';
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'cadre-salvage-')), 'journal.db');
});
afterEach(() => rmSync(join(file, '..'), { recursive: true }));

const runId = sampleRun('run_1');

/** Records 2 + 400 × 3 events, 3 to a commit. */
async function fill(): Promise<void> {
  const journal = createSqliteJournal(file);
  const lease = await journal.acquire(runId, sampleOwner('a'));
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
  for (let seq = 2; seq < 1_202; seq += 3) await journal.append(lease, sampleCommit(runId, seq, [note('a'), note('b'), note('c')]));
  await journal.close();
}

it.each([
  [
    'a row that was changed',
    `UPDATE commits SET body = replace(body, '"b"', '"x"') WHERE key = ?`,
    /row 2147484350.*checksum differs/,
  ],
  ['a row that is gone', 'DELETE FROM commits WHERE key = ?', /after seq 701 the next row begins at 705/],
])('K7: %s: everything before it is there, and it is named', async (_what, damage, problem) => {
  await fill();
  const whole = await createSqliteJournal(file, { readOnly: true }).read(runId);
  const database = new DatabaseSync(file);
  database.prepare(damage).run(2 ** 31 + 702);
  database.close();
  const journal = createSqliteJournal(file, { readOnly: true });
  expect(() => journal.read(runId)).toThrow(problem);
  const salvaged = await salvageRun(journal, runId);
  expect(salvaged.events).toEqual(whole.slice(0, 701));
  expect(salvaged.problem).toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringMatching(problem) as string });
  await journal.close();
});

it('a whole run is all there, and nothing is said', async () => {
  await fill();
  const journal = createSqliteJournal(file, { readOnly: true });
  expect(await salvageRun(journal, runId)).toEqual({ events: await journal.read(runId), problem: undefined });
  await expect(salvageRun(journal, sampleRun('run_none'))).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  await journal.close();
});

it('cadre events --salvage prints the good events, says which row is bad, and ends with 1', async () => {
  await fill();
  const database = new DatabaseSync(file);
  database.prepare('UPDATE commits SET sum = 1 WHERE key = ?').run(2 ** 31 + 702);
  database.close();
  const cwd = join(file, '..');
  const { code, out, err } = await runCli(['events', 'last', '--salvage', '--after', '699', '--store', file], { cwd });
  expect({
    code,
    seqs: out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly seq: number }).seq),
  }).toEqual({ code: 1, seqs: [700, 701] });
  expect(err).toMatch(/error: nothing after event 701 can be read: .*row 2147484350/);
  expect((await runCli(['events', 'last', '--store', file], { cwd })).code).toBe(1);
});
