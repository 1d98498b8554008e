import { expect, it } from 'vitest';
import { runInThread } from './in-thread.ts';
import { reproduce } from './shard.ts';

it('I1–I12 hold in 500 runs with faults everywhere, whatever the order of things; the same seed goes the same way', async () => {
  const { failures, faulted } = await runInThread({ from: 1, stride: 2, runs: 600, decisionsEvery: 3 });
  expect(failures.map(reproduce)).toEqual([]);
  expect(faulted).toBeGreaterThanOrEqual(500);
}, 900_000);
