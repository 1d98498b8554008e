import { expect, it } from 'vitest';
import { clusterFaultKinds } from './cluster/cluster-faults.ts';
import { runInThread } from './in-thread.ts';
import { reproduce } from './shard.ts';

it('workers of a runtime keep I1–I9 in 800 runs with faults at every step of the protocol; every kind of fault is reached', async () => {
  const { failures, faulted, replays, counts } = await runInThread({ from: 1, stride: 1, runs: 800, isCluster: true });
  expect(failures.map(reproduce)).toEqual([]);
  expect([faulted > 700, replays > 3]).toEqual([true, true]);
  for (const kind of Object.keys(clusterFaultKinds)) expect(counts, kind).toHaveProperty([kind]);
}, 600_000);
