import { expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import {
  assertJournal,
  createMemoryJournal,
  manualClock,
  type ScriptedReply,
  type ScriptedRequest,
} from '../../src/testing/index.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { testEngine } from '../support/test-engine.ts';

it('a run with a tool finishes on two workers, launched by a third engine', async () => {
  const clock = manualClock();
  const store = createMemoryJournal();
  const runtime = new LoopRuntime(clock);
  const ran: string[] = [];
  const tools = [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      parameters: { type: 'object', properties: { amount: { type: 'number' } } },
      execute: (args, context) => {
        ran.push(context.idempotencyKey);
        return `paid ${JSON.stringify(args)}`;
      },
    }),
  ];
  const replies = ({ prompt }: ScriptedRequest): ScriptedReply =>
    prompt.some(({ role }) => role === 'tool') ? { text: 'It is paid.' } : { toolCalls: [{ name: 'pay', args: { amount: 3 } }] };
  const options = { clock, store, runtime, tools, profile: 'tool_access_policy: { allowed_individual_tools: [pay] }' };
  const workers = [await testEngine({ ...options, replies }), await testEngine({ ...options, replies })];
  for (const { engine } of workers) await engine.work();
  const client = await testEngine({ ...options, replies: [] });
  const run = await client.launch();
  const result = await run.result;
  expect(result.output, JSON.stringify(result)).toBe('It is paid.');
  expect(ran).toHaveLength(1);
  assertJournal(await store.read(run.id));
  await client.engine.close();
  for (const { engine } of workers) await engine.close();
});
