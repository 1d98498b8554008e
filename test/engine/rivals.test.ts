import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ids } from '../../src/core/ids.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { countingIds } from '../../src/testing/index.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';
import { rivalProfile, rivalTools } from './rival-team.ts';

let folder = '';
let store = '';
let ledger = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-rivals-'));
  store = path.join(folder, 'journal.db');
  ledger = path.join(folder, 'ledger');
  writeFileSync(ledger, '');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Rival {
  readonly child: ChildProcess;
  readonly pid: number;
  line(): Promise<Readonly<Record<string, unknown>>>;
}

function start(mode: 'resume' | 'work', runId: string): Rival {
  const script = path.join(import.meta.dirname, 'rival-child.ts');
  const child = spawn(process.execPath, [script, mode, store, runId, ledger], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    pid: child.pid ?? 0,
    line: async () => JSON.parse((await lines.next()).value ?? '{"ended":true}') as Readonly<Record<string, unknown>>,
  };
}

function laterIds(): Ids {
  const ids = countingIds();
  return {
    runId: () => `later_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `later_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

const begun = (): readonly string[] =>
  readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('begin'));

it('N11: eight processes want one run: one has it, seven are told who has it and since when; when it dies, the next one takes it', async () => {
  const first = await testEngine({
    profile: rivalProfile,
    tools: rivalTools(() => undefined),
    replies: [{ hang: true }],
    store: createSqliteJournal(store),
  });
  const { id } = await first.launch();
  await breathe();
  await first.engine.close();
  const rivals = Array.from({ length: 8 }, () => start('resume', id));
  await Promise.all(rivals.map((rival) => rival.line()));
  for (const { child } of rivals) child.stdin?.write('go\n');
  const said = await Promise.all(rivals.map((rival) => rival.line()));
  const winner = said.find((line) => 'won' in line);
  expect(said.filter((line) => 'won' in line)).toHaveLength(1);
  const losers = said.filter((line) => 'lost' in line);
  expect(losers).toHaveLength(7);
  for (const line of losers) {
    expect(line).toMatchObject({
      lost: 'RUN_LOCKED',
      owner: expect.stringMatching(new RegExp(`^${String(winner?.['won'])}@`)) as string,
    });
    expect(Number(line['since'])).toBeGreaterThan(Date.now() - 60_000);
    expect(line['message']).toContain(new Date(Number(line['since'])).toISOString());
    expect(Number(line['ms'])).toBeLessThan(1_000);
  }
  const holder = rivals.find(({ pid }) => pid === winner?.['won']);
  const gone = new Promise((resolve) => holder?.child.once('exit', resolve));
  holder?.child.kill('SIGKILL');
  await gone;
  const heir = await testEngine({
    profile: rivalProfile,
    tools: rivalTools(() => undefined),
    replies: [{ text: 'mine' }],
    store: createSqliteJournal(store),
    ids: laterIds(),
  });
  const run = await heir.engine.resume(id);
  await run.settled();
  await verifyRun(run, heir.journal, {});
  await heir.engine.close();
}, 60_000);

it('K9: a holder that was stopped and taken over writes nothing when it goes on, runs no further tool, and its late result is dropped', async () => {
  const worker = start('work', '-');
  const { launched } = await worker.line();
  while (begun().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  worker.child.kill('SIGSTOP');
  const heir = await testEngine({
    profile: rivalProfile,
    tools: rivalTools(() => undefined),
    replies: [{ text: 'I go on without knowing' }],
    store: createSqliteJournal(store, { takeOver: true }),
    ids: laterIds(),
  });
  const run = await heir.engine.resume(String(launched));
  await run.settled();
  expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'unknown', error: { code: 'TOOL_OUTCOME_UNKNOWN' } }]);
  const events = await heir.journal.read(run.id);
  worker.child.kill('SIGCONT');
  expect(await worker.line()).toEqual({ halted: 'STORE_CONFLICT' });
  expect(
    readFileSync(ledger, 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  ).toEqual([`${worker.pid} begin`, `${worker.pid} end`]);
  expect(await heir.journal.read(run.id)).toEqual(events);
  await verifyRun(run, heir.journal, { repeatable: new Set() });
  await heir.engine.close();
}, 60_000);
