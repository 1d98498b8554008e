import { expect, it } from 'vitest';
import { CadreError, createEngine } from '../../src/index.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { mortalJournal } from '../support/runtime/mortal-journal.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';
import { until } from '../support/runtime/until.ts';

it('a worker goes on with a run whose state it could not read for a moment', async () => {
  const disk = createMemoryJournal();
  const { journal } = mortalJournal(disk);
  let reads = 0;
  let failures = 0;
  // What decides reads the state first, what runs effects second.
  const failing = {
    ...journal,
    read: (...[runId, options]: Parameters<typeof journal.read>) => {
      if ((options?.after ?? 0) === 0 && ++reads === 2) {
        failures += 1;
        throw new CadreError('STORE_FAILED', 'the server is away');
      }
      return journal.read(runId, options);
    },
  };
  const runtime = new LoopRuntime(systemClock);
  const team = teamOptions('/dev/null', disk);
  await using worker = await createEngine({ ...team, store: failing, runtime });
  await worker.work();
  await using engine = await createEngine({ ...team, store: disk, runtime });
  const run = await engine.launch({ profile: 'Root', input: 'plan: look; say done' });
  await until(() => run.state.outcome !== undefined, 10);
  expect([run.state.output, failures]).toEqual(['done', 1]);
});
