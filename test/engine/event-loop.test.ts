import { describe, expect, it } from 'vitest';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

describe('the event loop', () => {
  it('turns while a model and its tools answer at once: a timer can stop a loop that would not end', async () => {
    const controller = new AbortController();
    const team = await testEngine({
      profile: `${allow('t')}limits: { max_turns: 100000, max_tool_calls: 100000 }\n`,
      tools: [tool('t', ({ n }) => `result ${String(n)}`, { effect: 'pure' })],
      replies: (request) => ({ toolCalls: [{ name: 't', args: { n: request.prompt.length } }] }),
      limits: { turns: 100_000, toolCalls: 100_000 },
    });
    const run = await team.launch('Go.', { signal: controller.signal });
    setTimeout(() => controller.abort(), 1);
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    expect(run.state.counters.turns).toBeLessThan(50_000);
    await team.engine.close();
  });
});
