import { expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { RunId } from '../../src/core/ids.ts';
import { HaltedRuns } from '../../src/engine/recovery/halted-runs.ts';
import { manualClock } from '../../src/testing/index.ts';

const full = new CadreError('STORE_FAILED', 'the disk is full', { details: { mayPass: true } });
const readOnly = new CadreError('STORE_FAILED', 'no right to write');
const held = new CadreError('RUN_LOCKED', 'another process has it');

/** Resumes with the outcomes in their order, and notes what was resumed. */
function resuming(...outcomes: readonly (CadreError | undefined)[]) {
  const clock = manualClock();
  const left = [...outcomes];
  const resumed: string[] = [];
  const halted = new HaltedRuns(clock, async (runId, options) => {
    resumed.push(`${runId} ${JSON.stringify(options)}`);
    const outcome = left.shift();
    if (outcome !== undefined) throw outcome;
    await Promise.resolve();
  });
  return { clock, halted, resumed };
}

const one = 'run_1' as RunId;

it('F49: a run whose store failed for a while is resumed with its context every 30 s, until it goes on or something else fails', async () => {
  const { clock, halted, resumed } = resuming(full, undefined, full, held);
  halted.add(one, full, { context: { user: 'a' } });
  await clock.advance(29_999);
  expect(resumed).toEqual([]);
  await clock.advance(1);
  await clock.advance(30_000);
  await clock.advance(300_000);
  expect(resumed).toEqual(['run_1 {"context":{"user":"a"}}', 'run_1 {"context":{"user":"a"}}']);
  halted.add(one, full, {});
  for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000);
  expect(resumed.slice(2)).toEqual(['run_1 {}', 'run_1 {}']);
});

it('F49: one that failed for good, ended, or whose engine is closed is not', async () => {
  const { clock, halted, resumed } = resuming();
  halted.add(one, readOnly, {});
  halted.add(one, undefined, {});
  await clock.advance(60_000);
  halted.add(one, full, {});
  halted.close();
  halted.add(one, full, {});
  await clock.advance(60_000);
  expect(resumed).toEqual([]);
});
