import { expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { gate, testEngine } from '../support/test-engine.ts';
import { allow, tool, type TestTool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const profile = `instructions: You work.
${allow('t')}`;

/** A tool that runs until it is told to stop. */
function endlessTool(): { readonly tool: TestTool; readonly begun: Promise<unknown> } {
  const begun = gate<unknown>();
  const execute: TestTool['execute'] = async (_args, { signal }) => {
    begun.open(undefined);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new Error('stopped');
  };
  return { tool: tool('t', execute, { effect: 'idempotent' }), begun: begun.promise };
}

const replies = [{ toolCalls: [{ name: 't', args: {} }] }];

it('I9: a run that nobody advances is ended for good; nothing of it is begun again, and its tools and profiles may be gone', async () => {
  const store = createMemoryJournal();
  const endless = endlessTool();
  const first = await testEngine({ store, profile, tools: [endless.tool], replies });
  const { id } = await first.launch();
  await endless.begun;
  await first.engine.close({ graceMs: 0 });
  const later = await testEngine({ store, profile: { Other: '' } });
  const run = await later.engine.cancel(id, 'enough');
  expect([run.state.status, run.state.outcome, later.model.requests.length]).toEqual(['cancelled', 'cancelled', 0]);
  expect((await store.read(run.id)).map((event) => event.type)).not.toContain('run.resume');
  await verifyRun(run, store);
  expect((await later.engine.cancel(id)).state.status).toBe('cancelled');
  await expect(later.engine.cancel('run_none')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
});

it('a live run is cancelled by its id, and nothing of it is running afterwards', async () => {
  const endless = endlessTool();
  const { engine, launch } = await testEngine({ profile, tools: [endless.tool], replies });
  const run = await launch();
  await endless.begun;
  expect(await engine.cancel(run.id, 'enough')).toBe(run);
  expect(run.state.status).toBe('cancelled');
});
