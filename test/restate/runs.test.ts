import { afterAll, expect, it } from 'vitest';
import { assertJournal } from '../../src/testing/index.ts';
import { TestCluster } from './cluster.ts';

const cluster = await TestCluster.start(2);
afterAll(async () => await cluster[Symbol.asyncDispose]());
const { engine, journal } = cluster;

it('a run goes over workers to its end; its launcher sees its events and its result', async () => {
  const run = await engine.launch({ profile: 'Root', input: 'plan: look 5; pay 5; say all is done' });
  const seen: string[] = [];
  run.subscribe({ onEvents: (events) => seen.push(...events.map(({ type }) => type)) });
  const result = await run.result;
  expect([result.status, result.output]).toEqual(['completed', 'all is done']);
  expect(seen).toContain('run.end');
  assertJournal(await journal.read(run.id));
  expect(cluster.didIn(run.id)).toEqual(['begin look', 'end look', 'begin pay', 'end pay']);
  const numbers: number[] = [];
  for await (const { seq } of run.events()) numbers.push(seq);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('a message wakes a waiting run, and its receipt names the turn that read it; a repeated item is posted once', async () => {
  const run = await engine.launch({ profile: 'Chat', input: 'plan: say hello' });
  await run.settled();
  expect(run.state.status).toBe('awaiting');
  const receipt = await run.send('plan: say again', { itemId: 'mine' });
  await run.send('plan: say again', { itemId: 'mine' });
  expect(await receipt.delivered).toMatch(/t2$/);
  await run.settled();
  expect(run.turns().map(({ reply }) => reply?.text)).toEqual(['hello', 'again']);
  await run.cancel('enough');
  expect((await run.result).status).toBe('cancelled');
  await expect(run.send('more')).rejects.toMatchObject({ code: 'RUN_ENDED' });
});

it('another engine sees the run, steers it and gets its result', async () => {
  const run = await engine.launch({ profile: 'Chat', input: 'plan: say first' });
  await run.settled();
  await using other = await cluster.client();
  const same = await other.engine.resume(run.id);
  await same.send('plan: say second');
  await same.settled();
  await run.settled();
  expect(run.state.seq).toBe(same.state.seq);
  expect(run.turns().map(({ reply }) => reply?.text)).toEqual(['first', 'second']);
  await other.engine.cancel(run.id);
  expect((await run.result).status).toBe('cancelled');
});

it('a fork goes on by itself', async () => {
  const run = await engine.launch({ profile: 'Root', input: 'plan: look; pay; say done' });
  await run.result;
  const paid = (await journal.read(run.id)).findIndex(({ type }) => type === 'turn.end');
  const fork = await engine.fork(run.id, { at: paid + 1 });
  expect((await fork.result).output).toBe('done');
});
