import { expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { createEngine } from '../../src/index.ts';
import { createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';

it('a launch whose start cannot be written leaves nothing behind that looks at the journal', async () => {
  const memory = createMemoryJournal();
  let reads = 0;
  const { shared } = memory;
  if (shared === undefined) throw new Error('the journal in memory is not shared');
  const store: Journal = {
    location: 'failing',
    shared,
    acquire: (runId, owner) => memory.acquire(runId, owner),
    release: (lease) => memory.release(lease),
    append: () => Promise.reject(new CadreError('STORE_FAILED', 'no room')),
    read: (runId, options) => {
      reads += 1;
      return memory.read(runId, options);
    },
    content: (hash) => memory.content(hash),
    runs: (filter) => memory.runs(filter),
    close: () => undefined,
  };
  const clock = manualClock();
  const engine = await createEngine({ ...teamOptions('/nowhere', store), store, runtime: new LoopRuntime(clock), clock });
  await expect(engine.launch({ profile: 'Root', input: 'plan: say done', runId: 'mine' })).rejects.toMatchObject({
    code: 'STORE_FAILED',
  });
  await clock.advance(1_000);
  const before = reads;
  for (let round = 0; round < 10; round += 1) await clock.advance(2_500);
  expect([reads, engine.live('mine')]).toEqual([before, undefined]);
  await engine.close();
});
