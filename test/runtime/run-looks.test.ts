import { expect, it } from 'vitest';
import type { EventDraft } from '../../src/core/events/event.ts';
import type { SharedJournal } from '../../src/core/events/journal.ts';
import type { RunId } from '../../src/core/ids.ts';
import type { Runtime, RuntimeLink } from '../../src/core/runtime.ts';
import { CadreError, createEngine } from '../../src/index.ts';
import { createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { runBegin, sampleCommit, sampleRun, sampleTime } from '../contracts/journal-samples.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';

const waits: EventDraft = { type: 'run.status', status: 'awaiting' };

/** A runtime that tells of losses of its data, and takes looks only while it is there. */
class LosingRuntime implements Runtime {
  readonly location = 'loop';
  readonly name = 'loop';
  readonly looked: string[] = [];
  isAway = false;
  onLost: (() => void) | undefined;
  readonly #loop: LoopRuntime;

  constructor(loop: LoopRuntime) {
    this.#loop = loop;
  }

  async connect(journal: SharedJournal): Promise<RuntimeLink> {
    const link = await this.#loop.connect(journal);
    return {
      ...link,
      send: (runId) => {
        if (this.isAway) return Promise.reject(new CadreError('RUNTIME_FAILED', 'it is away'));
        this.looked.push(runId);
        return Promise.resolve();
      },
      serve: (host, onLost) => {
        this.onLost = onLost;
        return link.serve(host);
      },
    };
  }
}

async function withRuns() {
  const journal = createMemoryJournal();
  const { shared } = journal;
  if (shared === undefined) throw new Error('the journal in memory is not shared');
  const write = async (name: string, events: readonly EventDraft[]): Promise<RunId> => {
    const runId = sampleRun(name);
    await journal.append(await shared.acquire(runId, 'loop'), sampleCommit(runId, 0, events));
    return runId;
  };
  const working = await write('working', runBegin('a'));
  const waiting = await write('waiting', [...runBegin('b'), waits]);
  return { journal, shared, working, waiting };
}

it('after a loss every open run is looked at, also when the runtime is away for a while then', async () => {
  const { journal, working, waiting } = await withRuns();
  const clock = manualClock(sampleTime);
  const runtime = new LosingRuntime(new LoopRuntime(clock));
  const engine = await createEngine({ ...teamOptions('/nowhere', journal), store: journal, runtime, clock });
  await engine.work();
  runtime.isAway = true;
  runtime.onLost?.();
  await clock.advance(5_000);
  expect(runtime.looked).toEqual([]);
  runtime.isAway = false;
  await clock.advance(5_000);
  expect(runtime.looked.toSorted()).toEqual([working, waiting].toSorted());
  await engine.close();
});

it('a look that is under way when the engine closes is the last one', async () => {
  const { journal, shared } = await withRuns();
  const clock = manualClock(sampleTime);
  const runtime = new LosingRuntime(new LoopRuntime(clock));
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  let looks = 0;
  const slow: SharedJournal = {
    ...shared,
    stalled: async (...question) => {
      looks += 1;
      asked.resolve();
      await answer.promise;
      return await shared.stalled(...question);
    },
  };
  const store = Object.create(journal, { shared: { value: slow } }) as typeof journal;
  const engine = await createEngine({ ...teamOptions('/nowhere', journal), store, runtime, clock });
  await engine.work();
  await clock.advance(60_000);
  await asked.promise;
  await engine.close();
  answer.resolve();
  for (let minute = 0; minute < 3; minute += 1) await clock.advance(60_000);
  expect([looks, runtime.looked]).toEqual([1, []]);
});
