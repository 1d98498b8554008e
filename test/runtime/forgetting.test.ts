import { expect, it } from 'vitest';
import type { EventDraft } from '../../src/core/events/event.ts';
import type { RunId } from '../../src/core/ids.ts';
import { createEngine } from '../../src/index.ts';
import { manualClock, createMemoryJournal } from '../../src/testing/index.ts';
import { runBegin, sampleCommit, sampleRun, sampleTime } from '../contracts/journal-samples.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';

const hour = 3_600_000;
const over: EventDraft = { type: 'run.end', status: 'completed', outcome: 'success', output: '', deliverables: {} };

it('a worker forgets the inputs of runs that ended a day ago, and keeps those of open ones', async () => {
  const journal = createMemoryJournal();
  const { shared } = journal;
  if (shared === undefined) throw new Error('the journal in memory is not shared');
  const write = async (name: string, events: readonly EventDraft[]): Promise<RunId> => {
    const runId = sampleRun(name);
    const lease = await shared.acquire(runId, 'elsewhere');
    await journal.append(lease, { ...sampleCommit(runId, 0, events), inputs: ['one'] });
    return runId;
  };
  const ended = await write('ended', [...runBegin('a'), over]);
  const open = await write('open', runBegin('b'));
  const clock = manualClock(sampleTime + 22 * hour);
  const runtime = new LoopRuntime(clock);
  const engine = await createEngine({ ...teamOptions('/nowhere', journal), store: journal, runtime, clock });
  await engine.work();
  const known = async (): Promise<readonly boolean[]> => [
    await shared.hasApplied(ended, 'one'),
    await shared.hasApplied(open, 'one'),
  ];
  for (let minute = 0; minute < 90; minute += 1) await clock.advance(60_000);
  expect(await known()).toEqual([true, true]);
  for (let minute = 0; minute < 90; minute += 1) await clock.advance(60_000);
  expect(await known()).toEqual([false, true]);
  await engine.close();
});
