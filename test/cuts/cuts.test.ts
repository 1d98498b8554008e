import { expect, it } from 'vitest';
import { allCases, cutSweep } from './cut-sweep.ts';

it('a model server that resets its connections ends no process and no run, and no payment is made twice', async () => {
  const [one] = allCases({ parts: ['model'], cuts: ['reset'] });
  if (one === undefined) throw new Error('no such case');
  for await (const { finished, waiting, problems } of cutSweep([one], 6)) {
    expect(problems).toEqual([]);
    expect(finished + waiting).toBe(6);
  }
});
