import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { mortalJournal } from '../support/runtime/mortal-journal.ts';
import { readLedger, teamOptions } from '../support/runtime/plan-team.ts';
import { until } from '../support/runtime/until.ts';

it('a call that is cancelled while its worker writes the mark of its start never starts, and leaves no work behind', async () => {
  const disk = createMemoryJournal();
  const { journal } = mortalJournal(disk);
  const { shared } = journal;
  if (shared === undefined) throw new Error('the journal in memory is not shared');
  const gate = Promise.withResolvers<undefined>();
  let isMarking = false;
  const slow = {
    ...journal,
    shared: {
      ...shared,
      mark: async (...which: Parameters<typeof shared.mark>) => {
        isMarking = true;
        await gate.promise;
        return await shared.mark(...which);
      },
    },
  };
  const runtime = new LoopRuntime(systemClock);
  const ledger = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-cancelled-')), 'ledger.jsonl');
  const team = { ...teamOptions(ledger, disk), graceMs: 50 };
  await using worker = await createEngine({ ...team, store: slow, runtime });
  await worker.work();
  await using engine = await createEngine({ ...team, store: disk, runtime });
  const run = await engine.launch({ profile: 'Root', input: 'plan: pay; say done' });
  await until(() => isMarking);
  const cancelled = run.cancel();
  await until(() => run.state.outcome !== undefined);
  gate.resolve(undefined);
  await cancelled;
  const link = await runtime.connect(shared);
  const stuck = new Promise((resolve) => setTimeout(resolve, 3_000, 'stuck'));
  expect(await Promise.race([link.settled(runtime.works, 0), stuck])).toBeUndefined();
  expect(readLedger(ledger)).toEqual([]);
});
