import { afterAll, describe, expect, it } from 'vitest';

import { createEngine, type Engine } from '../../src/index.ts';
import { countingIds, createMemoryJournal, manualClock, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { breathe } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const main = `name: main
type: llm_config
config:
  model: big
  max_retries: 0
  fallbacks: [spare]
  cooldown: 30s
`;
const limited = `name: limited
type: llm_config
config:
  model: big
  rate_limit: { requests_per_minute: 2, tokens_per_minute: 100000, max_parallel: 4, max_wait: 5m }
`;
const files = (config: string, name: string) => [
  { path: `llm_configs/${name}.yaml`, text: config },
  { path: 'llm_configs/spare.yaml', text: 'name: spare\ntype: llm_config\nconfig: { model: small }\n' },
  { path: 'profiles/Clerk.yaml', text: `name: Clerk\ntype: associate\nllm_config_ref: ${name}\ninstructions: You work.\n` },
];

const engines: Engine[] = [];
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

describe('what all runs of a process share', () => {
  it('a config that failed in one run is passed over in the next, in the record of its turn', async () => {
    let reply: ScriptedReply = { error: { status: 401 } };
    const clock = manualClock();
    const journal = createMemoryJournal();
    const models = { big: scriptedModel(() => reply), small: scriptedModel(() => ({ text: 'from the small one' })) };
    const engine = await createEngine({
      profiles: { files: files(main, 'main') },
      models,
      clock,
      store: journal,
      ids: countingIds(),
    });
    engines.push(engine);
    const attempts = async () => {
      const run = await engine.launch({ profile: 'Clerk', input: 'Go.' });
      await run.result;
      await verifyRun(run, journal);
      return run.turns().flatMap((turn) => turn.attempts.map(({ config, error }) => `${config} ${error?.code ?? 'ok'}`));
    };
    expect(await attempts()).toEqual(['main MODEL_REJECTED', 'spare ok']);
    expect(await attempts()).toEqual(['main MODEL_COOLING', 'spare ok']);
    reply = { text: 'well again' };
    await clock.advance(30_000);
    expect(await attempts()).toEqual(['main ok']);
  });

  it('runs wait for their turn in a rate limit, and their records say how long', async () => {
    const clock = manualClock();
    const journal = createMemoryJournal();
    const model = scriptedModel(() => ({ text: 'done' }));
    const engine = await createEngine({
      profiles: { files: files(limited, 'limited') },
      models: { big: model, small: model },
      clock,
      store: journal,
      ids: countingIds(),
    });
    engines.push(engine);
    const runs = [];
    for (let index = 0; index < 5; index += 1) runs.push(await engine.launch({ profile: 'Clerk', input: `Job ${index}.` }));
    await breathe();
    expect(model.requests).toHaveLength(2);
    await clock.advance(60_000);
    await breathe();
    expect(model.requests).toHaveLength(4);
    await clock.advance(60_000);
    await Promise.all(runs.map((run) => run.result));
    const waits = runs.map((run) => run.turns()[0]?.attempts[0]?.queuedMs);
    expect(waits).toEqual([undefined, undefined, 60_000, 60_000, 120_000]);
    for (const run of runs) await verifyRun(run, journal);
  });

  it('a run that waits for its turn is cancelled at once', async () => {
    const clock = manualClock();
    const model = scriptedModel(() => ({ text: 'done' }));
    const engine = await createEngine({
      profiles: { files: files(limited, 'limited') },
      models: { big: model, small: model },
      clock,
      store: 'memory',
      ids: countingIds(),
    });
    engines.push(engine);
    const runs = [];
    for (let index = 0; index < 3; index += 1) runs.push(await engine.launch({ profile: 'Clerk', input: 'Go.' }));
    await breathe();
    await runs[2]?.cancel('enough');
    expect(await runs[2]?.result).toMatchObject({ status: 'cancelled' });
    expect(model.requests).toHaveLength(2);
  });
});

describe('a model that cannot be called', () => {
  it.each([
    ['openai/gpt-5', 'MODEL_UNCONFIGURED', /OPENAI_API_KEY/],
    ['anthropic/claude-sonnet-4-5', 'MODEL_UNCONFIGURED', /ANTHROPIC_API_KEY/],
    ['google/gemini-2.5-pro', 'MODEL_UNCONFIGURED', /GOOGLE_GENERATIVE_AI_API_KEY/],
    ['openrouter/x/y', 'MODEL_UNCONFIGURED', /OPENROUTER_API_KEY/],
    ['openai-compatible/x', 'MODEL_UNCONFIGURED', /base_url/],
    ['opanai/gpt-5', 'MODEL_UNKNOWN', /did you mean 'openai\/gpt-5'\?/],
    ['mian', 'MODEL_UNKNOWN', /did you mean 'main'\?/],
  ])('is named before the run starts, and nothing is written: %s', async (llmConfig, code, message) => {
    const engine = await createEngine({ profiles: { files: files(main, 'main') }, env: {}, store: 'memory' });
    engines.push(engine);
    const launching = engine.launch({ profile: 'Clerk', input: 'Go.' }, { llmConfig });
    await expect(launching).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await engine.runs()).toEqual([]);
  });
});
