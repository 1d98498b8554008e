import { expect, it } from 'vitest';
import { faultKinds } from './world/faults.ts';
import { mechanisms } from './world/mechanisms.ts';
import { runInThread } from './in-thread.ts';
import { reproduce } from './shard.ts';

it('I1–I12 hold in 500 runs with faults everywhere, in every order; every kind of fault and every mechanism is reached', async () => {
  const { failures, faulted, counts } = await runInThread({ from: 2, stride: 2, runs: 600, decisionsEvery: 3 });
  expect(failures.map(reproduce)).toEqual([]);
  expect(faulted).toBeGreaterThanOrEqual(500);
  for (const kind of Object.keys({ ...faultKinds, ...mechanisms })) expect(counts, kind).toHaveProperty([kind]);
}, 900_000);
