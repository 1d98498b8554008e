import { expect, it } from 'vitest';
import { createEngine, defineTool } from '../../src/index.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { mortalJournal } from '../support/runtime/mortal-journal.ts';
import { until } from '../support/runtime/until.ts';
import { profileFiles } from '../support/test-engine.ts';

const never = new Promise<never>(() => undefined);

it.each([false, true])(
  'a verifiable call of a process that died is verified by the workers that go on, not run again (answer lost: %s)',
  async (isAnswerLost) => {
    const disk = createMemoryJournal();
    const charged: string[] = [];
    let asked = 0;
    const options = {
      profiles: { files: profileFiles({ Root: 'tool_access_policy: { allowed_individual_tools: [charge] }' }) },
      models: {
        m: scriptedModel(({ prompt }) =>
          prompt.some(({ role }) => role === 'tool') ? { text: 'done' } : { toolCalls: [{ name: 'charge', args: {} }] },
        ),
      },
      team: false,
      tools: [
        defineTool({
          name: 'charge',
          description: 'Charges a card.',
          effect: 'verifiable',
          verify: 'was_charged',
          parameters: { type: 'object' },
          execute: async (_, { toolCallId }) => {
            charged.push(toolCallId);
            return await never;
          },
        }),
        defineTool({
          name: 'was_charged',
          description: 'Tells whether a card was charged.',
          effect: 'pure',
          parameters: { type: 'object' },
          execute: () => {
            asked += 1;
            return { happened: true, result: 'charged once' };
          },
        }),
      ],
    } as const;
    const { journal, die } = mortalJournal(disk);
    const first = await createEngine({ ...options, store: journal });
    const { id } = await first.launch({ profile: 'Root', input: 'Charge.' });
    await until(() => charged.length === 1);
    die();

    let losses = isAnswerLost ? 1 : 0;
    const runtime = new LoopRuntime(systemClock, { losesAnswer: ({ input }) => input['kind'] === 'recover' && losses-- > 0 });
    await using worker = await createEngine({ ...options, store: disk, runtime });
    await worker.work();
    await using engine = await createEngine({ ...options, store: disk, runtime });
    const run = await engine.resume(id);
    await until(() => run.state.outcome !== undefined, 20);
    expect([run.state.output, charged.length, asked]).toEqual(['done', 1, 1]);
    expect((await disk.read(run.id)).find((event) => event.type === 'tool.end')).toMatchObject({ status: 'ok' });
  },
);
