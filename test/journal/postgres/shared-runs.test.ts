import { deepStrictEqual } from 'node:assert';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { foldEvents } from '../../../src/core/fold/apply-event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { prepareEngine } from '../../../src/engine/create-engine.ts';
import { readState } from '../../../src/engine/recovery/read-state.ts';
import { systemClock } from '../../../src/engine/system-clock.ts';
import type { Engine, Journal } from '../../../src/index.ts';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { assertJournal } from '../../../src/testing/index.ts';
import { sharedServer } from '../../support/postgres/postgres-server.ts';
import { LoopRuntime } from '../../support/runtime/loop-runtime.ts';
import { teamOptions } from '../../support/runtime/plan-team.ts';

const server = await sharedServer();
const schema = server.newSchema();
const url = server.url(schema);
const ledger = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-shared-runs-')), 'ledger.jsonl');
const runtime = new LoopRuntime(systemClock);
const engines: Engine[] = [];

afterAll(async () => {
  for (const engine of engines) await engine.close();
});

/** An engine of the runtime with a journal of its own, as on a machine of its own; counts the events that it reads. */
async function engineOfItsOwn(): Promise<{ readonly engine: Engine; readonly journal: Journal; readonly read: () => number }> {
  const journal = createPostgresJournal({ url });
  let read = 0;
  const counting: Journal['read'] = async (...given) => {
    const events = await journal.read(...given);
    read += events.length;
    return events;
  };
  const store = new Proxy(journal, {
    get: (_, name) => {
      const value: unknown = name === 'read' ? counting : Reflect.get(journal, name, journal);
      return typeof value === 'function' ? (value.bind(journal) as unknown) : value;
    },
  });
  const options = { ...teamOptions(ledger, journal), store, runtime, snapshotEvery: 20 };
  const engine = await (await prepareEngine(options)).open(options);
  engines.push(engine);
  return { engine, journal, read: () => read };
}

it('runs that several engines share have snapshots, and are erased with their inputs and marks once they have ended', async () => {
  const [first, second] = [await engineOfItsOwn(), await engineOfItsOwn()];
  for (const { engine } of [first, second]) await engine.work();
  const { engine, journal } = await engineOfItsOwn();
  const run = await engine.launch({ profile: 'Chat', input: 'plan: say 0' });
  const runId = run.id as RunId;
  for (let message = 1; message < 12; message += 1) {
    await run.settled();
    await run.send(`plan: say ${message}`);
  }
  await run.settled();
  const other = await engine.launch({ profile: 'Root', input: 'plan: pay; say done' });
  await other.result;

  // A worker that begins now reads the snapshot and what follows it.
  const events = await journal.read(runId);
  const { seq = 0 } = (await journal.snapshot?.(runId)) ?? {};
  expect(events.length).toBeGreaterThan(60);
  expect(seq).toBeGreaterThan(events.length - 30);
  deepStrictEqual(await readState(journal, runId), foldEvents(events));
  runtime.forgetWorkers();
  const third = await engineOfItsOwn();
  await third.engine.work();
  await run.send('plan: say from the snapshot');
  await run.settled();
  expect(run.turns().at(-1)?.reply?.text).toBe('from the snapshot');
  expect(third.read()).toBeLessThan(60);
  assertJournal(await journal.read(runId));

  // The runtime holds the chat: it only waits for a message, and stays.
  const rows = async (table: string, id: string): Promise<number> =>
    (await server.query(`SELECT 1 FROM ${schema}.${table} WHERE run_id = '${id}'`)).length;
  expect(await rows('once', runId)).toBeGreaterThan(12);
  expect(await rows('once', other.id)).toBeGreaterThan(1);
  const pruned = await engine.catalog.prune({ olderThanMs: 0, idle: true });
  expect([pruned.runs.map((each) => each.runId), pruned.held]).toEqual([[other.id], []]);
  expect([await rows('once', other.id), await rows('commits', other.id)]).toEqual([0, 0]);
  await expect(engine.catalog.remove(runId)).rejects.toMatchObject({ code: 'RUN_LOCKED' });

  await run.cancel();
  expect((await engine.catalog.prune({ olderThanMs: 0 })).runs.map((each) => each.runId)).toEqual([runId]);
  for (const table of ['once', 'commits', 'snapshots']) expect(await rows(table, runId)).toBe(0);
  // What is still on its way to it finds no run.
  if (journal.shared === undefined) throw new Error('the journal is not shared');
  const link = await runtime.connect(journal.shared);
  const late = await link.submit(runId, { id: 'late', input: { kind: 'cancel', reason: 'late' } });
  expect(late.refused).toMatchObject({ code: 'RUN_UNKNOWN' });
  expect(await rows('once', runId)).toBe(0);
});
