import { expect, it } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { mortalJournal } from '../support/runtime/mortal-journal.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';
import { until } from '../support/runtime/until.ts';

it('a worker keeps at most 200 runs in memory, also while the oldest of them is at work', async () => {
  const disk = createMemoryJournal();
  const { journal } = mortalJournal(disk);
  const { shared } = journal;
  if (shared === undefined) throw new Error('the journal in memory is not shared');
  let kept = 0;
  const counting = {
    ...journal,
    release: (...which: Parameters<typeof journal.release>) => {
      kept -= 1;
      return journal.release(...which);
    },
    shared: {
      ...shared,
      acquire: (...which: Parameters<typeof shared.acquire>) => {
        kept += 1;
        return shared.acquire(...which);
      },
    },
  };
  const runtime = new LoopRuntime(systemClock);
  await using worker = await createEngine({ ...teamOptions('/dev/null', disk), graceMs: 10, store: counting, runtime });
  await worker.work();
  await using engine = await createEngine({ ...teamOptions('/dev/null', disk), graceMs: 10, store: disk, runtime });
  const busy = await engine.launch({ profile: 'Root', input: 'plan: look 600000; say done' });
  await until(() => [...busy.state.agents.values()].some(({ calls }) => calls.open.size > 0));
  for (let index = 0; index < 220; index += 1) {
    const chat = await engine.launch({ profile: 'Chat', input: 'plan: say ready' });
    await chat.settled();
  }
  await until(() => kept <= 201, 5).catch(() => undefined);
  expect(kept).toBeLessThan(202);
  await busy.cancel();
});
