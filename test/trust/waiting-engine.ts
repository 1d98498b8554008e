import { createEngine, type Engine, type Journal } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** An engine whose one agent says something, and waits to be spoken to. */
export function waitingEngine(store: string | Journal): Promise<Engine> {
  return createEngine({
    profiles: {
      files: [
        {
          path: 'profiles/root.yaml',
          text: 'name: Root\ntype: partner\nllm_config_ref: m\ninstructions: You wait.\nflow_decider: [{ id: wait, action: { type: await_user_input } }]\n',
        },
      ],
    },
    models: { m: scriptedModel(() => ({ text: 'Yes?' })) },
    store,
    team: false,
  });
}
