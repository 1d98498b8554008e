import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ids } from '../../src/core/ids.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { countingIds } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser, type TestEngine, type TestEngineOptions } from '../support/test-engine.ts';

let file = '';
beforeEach(async () => {
  file = path.join(await mkdtemp(path.join(tmpdir(), 'cadre-recover-')), 'journal.db');
});
afterEach(async () => {
  await rm(path.dirname(file), { recursive: true, force: true });
});

async function open(options: TestEngineOptions, name: string): Promise<TestEngine> {
  const ids = countingIds();
  const named: Ids = {
    runId: () => `${name}_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `${name}_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
  return await testEngine({ profile: waitsForUser, ...options, ids: named, store: createSqliteJournal(file) });
}

it('recover takes up every run that is not over and held by nobody, and reports the others without stopping', async () => {
  const first = await open(
    { replies: ({ prompt }) => (JSON.stringify(prompt).includes('end') ? { text: 'x' } : { hang: true }) },
    'a',
  );
  const hanging = await first.launch('one');
  const other = await first.launch('two');
  const ended = await first.launch('the end');
  await ended.cancel();
  await breathe();
  await first.engine.close();
  const holder = await open({ replies: [{ text: 'mine' }] }, 'b');
  const held = await holder.launch('three');
  await held.settled();
  const damaged = await open({ replies: [{ text: 'soon broken' }] }, 'c');
  const broken = await damaged.launch('four');
  await damaged.engine.close();
  const database = new DatabaseSync(file);
  database.exec(`DELETE FROM commits WHERE key >> 31 = (SELECT run FROM runs WHERE run_id = '${broken.id}')`);
  database.close();

  const next = await open({ replies: [{ text: 'hello one' }, { text: 'hello two' }] }, 'd');
  const recovered = await next.engine.recover();
  const byRun = new Map(recovered.map((entry) => [entry.runId, entry]));
  expect([...byRun.keys()].toSorted()).toEqual([hanging.id, other.id, held.id, broken.id].toSorted());
  expect(byRun.get(held.id)?.error).toMatchObject({ code: 'RUN_LOCKED' });
  expect(byRun.get(broken.id)?.error).toMatchObject({ code: 'STORE_CORRUPT' });
  for (const run of [hanging, other]) {
    const again = byRun.get(run.id)?.run;
    await again?.settled();
    expect(again?.turns()[0]?.reply.text).toMatch(/^hello/);
  }
  const again = await next.engine.recover();
  expect(again.map(({ runId }) => runId).toSorted(), 'what is live here is not taken up twice').toEqual(
    [held.id, broken.id].toSorted(),
  );
  await next.engine.close();
  await holder.engine.close();
});

it('recover resumes those that are included, and says of each as soon as it goes on', async () => {
  const first = await open({ replies: () => ({ hang: true }) }, 'a');
  const runs = [await first.launch('one'), await first.launch('two'), await first.launch('three')];
  await first.engine.close();
  const next = await open({ replies: () => ({ text: 'on' }) }, 'b');
  const heard: string[] = [];
  const recovered = await next.engine.recover({
    include: async ({ title }) => (await Promise.resolve(title)) !== 'two',
    onRun: ({ runId, run }) => void heard.push(`${runId} ${run?.id === runId ? 'goes on' : 'does not'}`),
  });
  expect(recovered.map(({ runId }) => runId)).toEqual([runs[0]?.id, runs[2]?.id]);
  expect(heard).toEqual([`${runs[0]?.id} goes on`, `${runs[2]?.id} goes on`]);
  await next.engine.close();
});

it('K4: a message after a crash: the run is recovered first, then the message is read', async () => {
  const first = await open({ replies: [{ hang: true }] }, 'a');
  const run = await first.launch('one');
  await breathe();
  await first.engine.close();
  const next = await open({ replies: [{ text: 'first answer' }, { text: 'second answer' }] }, 'b');
  const again = await next.engine.resume(run.id);
  await again.send('and another thing');
  await again.settled();
  expect(again.turns().map(({ reply }) => reply.text)).toEqual(['first answer', 'second answer']);
  expect(JSON.stringify(next.model.requests[1]?.prompt)).toMatch(/first answer.*and another thing/);
  await next.engine.close();
});
