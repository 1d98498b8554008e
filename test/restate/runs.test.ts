import { expect, it } from 'vitest';
import { assertJournal } from '../../src/testing/index.ts';
import { TestCluster } from './cluster.ts';

it('a run goes over two workers to its end; its launcher sees its events and its result', async () => {
  await using cluster = await TestCluster.start(2);
  const run = await cluster.engine.launch({ profile: 'Root', input: 'plan: look 5; pay 5; say all is done' });
  const seen: string[] = [];
  run.subscribe({ onEvents: (events) => seen.push(...events.map(({ type }) => type)) });
  const result = await run.result;
  expect([result.status, result.output]).toEqual(['completed', 'all is done']);
  expect(seen).toContain('run.end');
  assertJournal(await cluster.journal.read(run.id));
  expect(cluster.did.map(({ kind, tool }) => `${kind} ${tool}`)).toEqual(['begin look', 'end look', 'begin pay', 'end pay']);
});
