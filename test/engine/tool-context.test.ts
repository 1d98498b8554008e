import { expect, it } from 'vitest';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

it('a tool that hands a copy of its context to another one hands over its ids and outlets', async () => {
  const seen: Record<string, unknown>[] = [];
  const wrapped = tool('wrapped', (_args, context) => {
    seen.push({ ...context });
    return 'ok';
  });
  const team = await testEngine({
    profile: allow('wrapped'),
    tools: [wrapped],
    replies: [{ toolCalls: [{ id: 'of_provider', name: 'wrapped', args: {} }] }, { text: 'Done.' }],
  });
  const run = await team.launch();
  await run.result;
  expect(seen).toEqual([
    expect.objectContaining({
      runId: run.id,
      agentId: expect.any(String),
      turnId: expect.any(String),
      toolCallId: expect.any(String),
      providerCallId: 'of_provider',
      attempt: 1,
      progress: expect.any(Function),
    }),
  ]);
});
