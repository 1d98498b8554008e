import { createEngine, type Engine } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** An engine whose tool starts something that fails later, and waits for it nowhere: a mistake of the tool's author. */
export function strayEngine(store: string, fails: boolean): Promise<Engine> {
  return createEngine({
    profiles: {
      files: [
        {
          path: 'profiles/root.yaml',
          text: 'name: Root\ntype: associate\nllm_config_ref: m\ninstructions: You work.\ntool_access_policy: { allowed_individual_tools: [stray] }\n',
        },
      ],
    },
    models: {
      m: scriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool') ? { text: 'done' } : { toolCalls: [{ name: 'stray', args: {} }] },
      ),
    },
    tools: [
      {
        name: 'stray',
        description: 'Leaves a promise behind.',
        parameters: { type: 'object' },
        execute: async () => {
          if (fails) void Promise.reject(new Error('nobody waits for this'));
          await new Promise((resolve) => setTimeout(resolve, 20));
          return 'done';
        },
      },
    ],
    store,
    team: false,
  });
}

if (import.meta.main) {
  const engine = await strayEngine(process.argv[2] ?? '', true);
  const run = await engine.launch({ profile: 'Root', input: 'Go.' });
  process.stdout.write(`${run.id}\n`);
  await run.result;
  await engine.close();
}
