import { afterAll, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import { streamedText } from '../support/runtime/plan-team.ts';
import { until } from '../support/runtime/until.ts';
import { TestCluster } from './cluster.ts';

const cluster = await TestCluster.start(2);
afterAll(async () => await cluster[Symbol.asyncDispose]());
const { engine } = cluster;

/** What a subscriber gets: `delta` and `progress` between the events, in order, and the text of each attempt. */
function follow(run: Run) {
  const order: string[] = [];
  const texts: Record<number, string> = {};
  const leave = run.subscribe({
    onEvents: (events) => order.push(...events.map(({ type }) => type)),
    onDelta: (_agent, _turn, { attempt, text }) => {
      order.push('delta');
      texts[attempt] = `${texts[attempt] ?? ''}${text}`;
    },
  });
  return { order, texts, leave };
}

it('a reply that a worker streams reaches who launched the run, piece by piece, and all of it before its event', async () => {
  const run = await engine.launch({ profile: 'Root', input: 'plan: stream 150' });
  const { order, texts } = follow(run);
  expect((await run.result).output).toBe(streamedText);
  expect(texts).toEqual({ 1: streamedText });
  const first = order.indexOf('model.end');
  const pieces = order.slice(0, first).filter((what) => what === 'delta').length;
  expect(pieces).toBeGreaterThan(2);
  expect(order.indexOf('delta')).toBeLessThan(first);
});

it('an engine that takes the run up in the middle of a reply gets its beginning, and all of its text', async () => {
  const run = await engine.launch({ profile: 'Root', input: 'plan: stream 250' });
  const early = follow(run);
  await until(() => (early.texts[1]?.length ?? 0) > 10);
  await using client = await cluster.client();
  const same = await client.engine.resume(run.id);
  const late = follow(same);
  await until(() => (late.texts[1]?.length ?? 0) > 0);
  expect(streamedText.startsWith(late.texts[1] ?? '?')).toBe(true);
  expect(same.replies.length).toBe(1);
  await Promise.all([run.result, same.result]);
  for (const { texts } of [early, late]) expect(texts).toEqual({ 1: streamedText });
  early.leave();
  late.leave();
});

it('when a worker is killed in the middle of a reply, the one that makes the call again streams a later attempt', async () => {
  const run = await engine.launch({ profile: 'Root', input: 'plan: stream 400' });
  const { texts } = follow(run);
  await until(() => (texts[1]?.length ?? 0) > 0);
  // Which of the two streams shows only in what stops.
  for (const worker of cluster.workers.splice(0)) worker.kill('SIGKILL');
  await cluster.startWorker();
  expect((await run.result).output).toBe(streamedText);
  expect(texts[2]).toBe(streamedText);
  expect(streamedText.startsWith(texts[1] ?? '?')).toBe(true);
  expect(Object.keys(texts).length).toBe(2);
});
