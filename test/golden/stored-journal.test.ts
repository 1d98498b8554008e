import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import type { Ids } from '../../src/core/ids.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { schemaVersion } from '../../src/journal/sqlite/sqlite-schema.ts';
import { countingIds } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser, type TestEngineOptions } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

/** A journal file as version 0.1.0 wrote it: it is never written anew, since files like it are on people's disks. */
const golden = path.join(import.meta.dirname, 'journal-0.1.0.db');

const team: TestEngineOptions = {
  profile: `${waitsForUser}${allow('read', 'pay')}\ntool_gates: [{ id: ask, tools: [pay], verdict: ask, message: Really? }]`,
  tools: [tool('read', () => 'what was read', { effect: 'pure' }), tool('pay', () => 'paid')],
};

function idsOf(name: string): Ids {
  const ids = countingIds();
  return {
    runId: () => `${name}_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `${name}_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

function ownCopy(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-golden-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'journal.db');
}

it.runIf(process.env['WRITE_GOLDEN_JOURNAL'] === '1')('write the golden journal of this version', async () => {
  const file = ownCopy();
  const replies = [
    { toolCalls: [{ name: 'read', args: { from: 'a' } }] },
    { text: 'It says: what was read.' },
    { toolCalls: [{ name: 'pay', args: { amount: 10 } }] },
    { hang: true },
  ];
  const first = await testEngine({ ...team, replies, store: createSqliteJournal(file), ids: idsOf('golden') });
  const settled = await first.launch('Read it.');
  await settled.settled();
  await settled.cancel('enough');
  const pending = await first.launch('Pay it.');
  await pending.settled();
  await first.launch('Go on.');
  await breathe();
  await first.engine.close();
  await first.journal.close();
  const database = new DatabaseSync(file);
  // Without what lies in free pages: names of machines.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; VACUUM');
  database.close();
  copyFileSync(file, golden);
});

it('K12: a journal that 0.1.0 wrote is read, brought up to date, and its runs go on', async () => {
  const file = ownCopy();
  copyFileSync(golden, file);
  const next = await testEngine({
    ...team,
    replies: [{ text: 'one' }, { text: 'two' }],
    store: createSqliteJournal(file),
    ids: idsOf('later'),
  });
  expect((await next.engine.runs()).map(({ runId, status, turns }) => [runId, status, turns])).toEqual([
    ['golden_run_3', 'running', 1],
    ['golden_run_2', 'awaiting', 1],
    ['golden_run_1', 'cancelled', 2],
  ]);
  const ended = await next.engine.open('golden_run_1');
  expect((await ended.result).status).toBe('cancelled');
  expect(JSON.stringify(ended.turns())).toMatch(/what was read.*It says: what was read\./);
  const recovered = await next.engine.recover();
  expect(recovered.map(({ runId, error }) => [runId, error])).toEqual([
    ['golden_run_2', undefined],
    ['golden_run_3', undefined],
  ]);
  const [pending, going] = recovered.map(({ run }) => run);
  if (pending === undefined || going === undefined) throw new Error('the runs were not taken up');
  await going.settled();
  await pending.approve(pending.pending[0]?.id ?? '');
  await pending.settled();
  expect([going, pending].map((run) => run.turns().at(-1)?.reply.text)).toEqual(['one', 'two']);
  for (const run of [going, pending]) {
    await verifyRun(run, next.journal, {});
    expect(run.state.frameSeed).toBeDefined();
  }
  await next.engine.close();
  await next.journal.close();
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare(`SELECT value FROM meta WHERE key = 'schema_version'`).get()?.['value']).toBe(schemaVersion);
  database.close();
});
