import { expect, it } from 'vitest';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

it('runs', async () => {
  const { launch, model, journal } = await testEngine({ profile: waitsForUser + 'tool_access_policy: { allowed_individual_tools: [echo] }',
    tools: [{ name: 'echo', description: 'Echoes.', parameters: { type: 'object', properties: { x: { type: 'string' } } }, execute: (a: {x: string}) => a.x }],
    replies: [{ toolCalls: [{ name: 'echo', args: { x: 'hi' } }] }, { text: 'done' }, {text: 'again'}] });
  const run = await launch();
  await run.settled();
  await run.send('more');
  await run.settled();
  expect(run.state.status).toBe('awaiting');
  await verifyRun(run, journal, { requests: model.requests });
});
