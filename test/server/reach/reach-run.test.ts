import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { receiveMail } from '../../../src/server/reach/receive-mail.ts';
import { reachRun } from '../../../src/server/reach/reach-run.ts';
import { testEngine, waitsForUser, type TestEngine } from '../../support/test-engine.ts';

/** Two engines over one journal file, as in two processes: the first receives mail. */
async function twoEngines(): Promise<{ readonly store: string; readonly first: TestEngine; readonly second: TestEngine }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-reach-'));
  const store = path.join(folder, 'journal.db');
  const [first, second] = [await testEngine({ store, ...team }), await testEngine({ store, ...team })];
  const mail = receiveMail(first.engine, store);
  onTestFinished(async () => {
    mail[Symbol.dispose]();
    await Promise.all([first.engine.close(), second.engine.close()]);
    await rm(folder, { recursive: true });
  });
  return { store, first, second };
}

const team = { profile: waitsForUser, replies: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] };

it('a run that another engine has is acted on there; one that nobody has is taken up; one that is over says so', async () => {
  const { store, first, second } = await twoEngines();
  const run = await first.launch();
  await run.settled();
  const reach = reachRun(second.engine, store);
  const done = await reach.act(run.id, { kind: 'send', text: 'more' });
  expect(done).toMatchObject({ itemId: expect.any(String) });
  await run.settled();
  expect(run.turns().flatMap(({ inputs }) => inputs.map(({ content }) => content))).toContain('more');
  expect(second.engine.live(run.id)).toBeUndefined();
  await expect(reach.act(run.id, { kind: 'answer', id: 'c1', value: 1 })).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });

  await first.engine.close();
  await reach.act(run.id, { kind: 'send', text: 'and more' });
  const taken = second.engine.live(run.id);
  await taken?.settled();
  expect(taken?.state.counters.turns).toBe(3);
  expect(await reach.act(run.id, { kind: 'cancel' })).toEqual({ status: 'cancelled', outcome: 'cancelled', pending: [] });
  expect(await reach.act(run.id, { kind: 'cancel' })).toMatchObject({ status: 'cancelled' });
  await expect(reach.act(run.id, { kind: 'send', text: 'x' })).rejects.toMatchObject({ code: 'RUN_ENDED' });
  await expect(reach.act('run_none', { kind: 'cancel' })).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
});

it('F85: the person goes along with what another engine is to do', async () => {
  const { store, first, second } = await twoEngines();
  const run = await first.launch();
  await run.settled();
  const reach = reachRun(second.engine, store);
  await reach.act(run.id, { kind: 'send', text: 'more' }, { by: 'alice' });
  await run.settled();
  await reach.act(run.id, { kind: 'cancel' }, { by: 'olga' });
  const events = await first.engine.records.read(run.id);
  const said = events.findLast((event) => event.type === 'inbox.add');
  expect(said).toMatchObject({ item: { by: 'alice', payload: { prompt: 'more' } } });
  expect(events.at(-1)).toMatchObject({ type: 'run.end', by: 'olga' });
});

it('what is no letter is cleared away, and whoever takes letters goes on', async () => {
  const { store, first, second } = await twoEngines();
  const run = await first.launch();
  await run.settled();
  const folder = path.join(path.dirname(store), 'mail', run.id);
  await mkdir(path.join(folder, 'folder.json', 'inner'), { recursive: true, mode: 0o700 });
  await symlink('/nowhere', path.join(folder, 'link.json'));
  await expect.poll(() => readdir(folder)).toEqual([]);
  expect(await reachRun(second.engine, store).act(run.id, { kind: 'cancel' })).toMatchObject({ status: 'cancelled' });
});

it('what is left for a process is not waited for once it has no run any more: cancelled twice at once, or closed', async () => {
  const { store, first, second } = await twoEngines();
  const reach = reachRun(second.engine, store);
  const [run, other] = [await first.launch(), await first.launch()];
  await Promise.all([run.settled(), other.settled()]);
  // The sender gets an answer long before a letter is given up.
  const cancelled = reach.act(run.id, { kind: 'cancel' });
  await run.cancel('here');
  expect(await cancelled).toEqual({ status: 'cancelled', outcome: 'cancelled', pending: [] });
  const sent = reach.act(other.id, { kind: 'send', text: 'more' });
  await first.engine.close();
  expect(await sent).toMatchObject({ itemId: expect.any(String) });
}, 8_000);

it('a folder others can write into is not used, neither to leave something nor to take it', async () => {
  const { store, first, second } = await twoEngines();
  const run = await first.launch();
  await run.settled();
  const folder = path.join(path.dirname(store), 'mail');
  await mkdir(folder);
  await chmod(folder, 0o777);
  const act = reachRun(second.engine, store).act(run.id, { kind: 'cancel' });
  await expect(act).rejects.toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('others can write into it') });
});

it('a letter that was there before the process began to receive is not taken: it may have come with the folder', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-reach-'));
  const store = path.join(folder, 'journal.db');
  const { engine, launch } = await testEngine({ store, ...team });
  const run = await launch();
  await run.settled();
  const letters = path.join(folder, 'mail', run.id);
  await mkdir(letters, { recursive: true, mode: 0o700 });
  await writeFile(path.join(letters, 'early.json'), '{"kind":"cancel"}');
  const mail = receiveMail(engine, store);
  onTestFinished(async () => {
    mail[Symbol.dispose]();
    await engine.close();
    await rm(folder, { recursive: true });
  });
  await writeFile(path.join(letters, 'late.json'), '{"kind":"send","text":"more"}');
  await expect.poll(() => readdir(letters)).toEqual(['early.json', 'late.done']);
  await run.settled();
  expect(run.state.status).toBe('awaiting');
  expect(run.state.counters.turns).toBe(2);
});
