import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findPrice, priceAt } from '../../src/core/model/model-price.ts';
import { createEngine, defineTool, type EngineOptions } from '../../src/index.ts';
import { costOf } from '../../src/models/attempts/model-usage.ts';
import { compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';
import { readPlainPrices } from '../../src/profiles/files/plain-prices.ts';
import { shippedPrices, shippedPricesPath } from '../../src/profiles/files/shipped-prices.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const shipped = readPlainPrices(shippedPrices().text) ?? new Map();

/** A model that says it is a provider's, and uses 1,000 tokens in and 100 out a turn. */
function modelOf(provider: string, modelId: string, turns = 1): ReturnType<typeof scriptedModel> {
  const usage = { inputTokens: 1_000, outputTokens: 100 };
  const replies = [
    ...Array.from({ length: turns - 1 }, () => ({ toolCalls: [{ name: 'note', args: {} }], usage })),
    { text: 'Done.', usage },
  ];
  return Object.assign(scriptedModel(replies), { provider, modelId });
}

const profile = (more = ''): { path: string; text: string } => ({
  path: 'profiles/a.yaml',
  text: `name: A\ninstructions: Work.\nllm_config_ref: m\n${more}`,
});
const config = (model: string, more = ''): { path: string; text: string } => ({
  path: 'llm_configs/m.yaml',
  text: `name: m\nconfig:\n  model: ${model}\n${more}`,
});

const allowNote = 'tool_access_policy: { allowed_individual_tools: [note] }';

function noteTool(isAsked: boolean): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'note',
    description: 'Notes.',
    parameters: { type: 'object' },
    needs_approval: isAsked,
    execute: () => 'ok',
  });
}

function engineOf(
  files: readonly { path: string; text: string }[],
  more: Partial<EngineOptions> = {},
): ReturnType<typeof createEngine> {
  return createEngine({ profiles: { files }, store: 'memory', env: { OPENAI_API_KEY: 'k', X_KEY: 'k' }, ...more });
}

describe('F15: the prices that come with Cadre', () => {
  it('are read the same by the short way and by the YAML parser', () => {
    const set = compileProfileFiles([{ ...shippedPrices(), path: 'other.yaml' }]).set;
    expect(set?.prices.size).toBeGreaterThan(50);
    expect(Object.fromEntries(shipped)).toEqual(Object.fromEntries(set?.prices ?? []));
  });

  it('have every model that the documentation and the profiles name', () => {
    const pages = ['docs/getting-started.md', 'docs/models.md', 'docs/profiles/llm-configs.md', 'docs/api.md', 'docs/tools.md'].map(
      (page) => readFileSync(page, 'utf8'),
    );
    const named = pages
      .join('\n')
      .matchAll(/(?<![/.])\b(openai|anthropic|google|xai|deepseek|mistral|groq)\/([a-z][\w.-]*\d[\w.-]*)/g);
    const unpriced = [...named].filter(([, provider = '', model = '']) => findPrice(shipped, { provider, model }) === undefined);
    expect(unpriced.map(([name]) => name)).toEqual([]);
  });

  it.each([
    ['openai', 'gpt-5-mini-2025-08-07', 0.25],
    ['anthropic', 'claude-sonnet-4-5-20250929', 3],
    ['anthropic', 'claude-haiku-4-5-latest', 1],
    ['ollama', 'llama3.2', 0],
    ['openai', 'gpt-0', undefined],
    ['azure', 'gpt-5-mini', undefined],
  ])('%s/%s costs %s for a million tokens in', (provider, model, input) => {
    expect(findPrice(shipped, { provider, model })?.input).toBe(input);
  });

  it('a server of somebody else’s under the name of a local provider is not free', () => {
    expect(findPrice(shipped, { provider: 'ollama', model: 'llama3.2', baseUrl: 'https://gateway.test/v1' })).toBeUndefined();
  });

  it('a long prompt has the price of long prompts, all of it', () => {
    const price = shipped.get('openai/gpt-5.5');
    expect(price === undefined ? undefined : priceAt(price, 272_000)).toMatchObject({ input: 5 });
    expect(costOf({ inputTokens: 272_001, outputTokens: 1_000_000 }, price)).toBeCloseTo(2.72001 + 45, 8);
  });
});

describe('F15: money is bounded', () => {
  it('by the price that comes with Cadre, for the model that a config names', async () => {
    const model = scriptedModel(
      Array.from({ length: 13 }, () => ({
        toolCalls: [{ name: 'note', args: {} }],
        usage: { inputTokens: 100_000, outputTokens: 1_000 },
      })),
    );
    await using engine = await engineOf([profile(allowNote)], {
      models: { m: Object.assign(model, { provider: 'openai.responses', modelId: 'gpt-5-mini' }) },
      tools: [noteTool(false)],
    });
    const run = await engine.launch({ profile: 'A', input: 'Go.' }, { limits: { costUsd: 0.1 } });
    const result = await run.result;
    expect(result.outcome).toBe('limit');
    expect(run.state.counters.turns).toBeLessThan(5);
    expect(run.state.budget.cost).toBeGreaterThan(0.02);
    expect(run.state.budget.cost).toBeLessThanOrEqual(0.1);
  });

  it('a price of one’s own goes before it: in the config, in a price file of the team', async () => {
    const own = { path: 'own.yaml', text: 'type: prices\nprices:\n  openai/gpt-5-mini: { input: 1000, output: 0 }\n' };
    for (const [files, cost] of [
      [[config('openai/gpt-5-mini')], (1_000 * 0.25 + 100 * 2) / 1e6],
      [[config('openai/gpt-5-mini'), own], 1],
      [[config('openai/gpt-5-mini', '  price: { input: 2000, output: 0 }'), own], 2],
    ] as const) {
      await using engine = await engineOf([profile(), ...files], {
        models: { 'openai/gpt-5-mini': modelOf('openai', 'gpt-5-mini') },
      });
      const run = await engine.launch({ profile: 'A', input: 'Go.' });
      await run.result;
      expect(run.state.budget.cost).toBeCloseTo(cost, 10);
    }
  });

  it('a run goes on with the prices it was launched with', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cadre-prices-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = join(folder, 'journal.db');
    const files = [profile(allowNote), config('openai/gpt-5-mini')];
    const dear = { path: shippedPricesPath, text: 'type: prices\nprices:\n  openai/gpt-5-mini: { input: 1000, output: 0 }\n' };
    const options = { store, tools: [noteTool(true)] };
    const models = (turns: number): Partial<EngineOptions> => ({ models: { m: modelOf('openai', 'gpt-5-mini', turns) } });
    const before = await engineOf([...files, dear], { ...options, ...models(2) });
    const waiting = await before.launch({ profile: 'A', input: 'Go.' });
    await vi.waitFor(() => expect(waiting.pending).toHaveLength(1));
    await before.close();
    await using engine = await engineOf(files, { ...options, ...models(1) });
    const run = await engine.resume(waiting.id);
    await run.approve(run.pending[0]?.id ?? '');
    await run.result;
    // Two turns of 1,000 tokens, at the price on record.
    expect(run.state.budget.cost).toBeCloseTo(2, 10);
    await using later = await engineOf(files, { ...options, ...models(1) });
    const fresh = await later.launch({ profile: 'A', input: 'Go.' });
    await fresh.result;
    expect(fresh.state.budget.cost).toBeCloseTo((1_000 * 0.25 + 100 * 2) / 1e6, 10);
  });

  it('a launch with a limit on money and a model without a price is refused, with what to do', async () => {
    await using engine = await engineOf([profile(), config('openai/gpt-0')]);
    const launch = engine.launch({ profile: 'A', input: 'Go.' }, { limits: { costUsd: 1 } });
    await expect(launch).rejects.toMatchObject({
      code: 'MODEL_UNPRICED',
      message: expect.stringMatching(/the run may cost \$1.*'A'.*openai\/gpt-0 \(LLM config 'm'\).*`price`.*on_unknown_cost: warn/),
    });
    await expect(engine.runs()).resolves.toEqual([]);
  });

  it.each([
    ['of a profile', 'limits: { max_cost_usd: 1 }', {}, true],
    ['of a work module', 'limits: { per_module: { max_cost_usd: 1 } }', {}, true],
    ['that the profile lets be unknown', 'limits: { max_cost_usd: 1, on_unknown_cost: warn }', {}, false],
    ['that the launch lets be unknown', 'limits: { max_cost_usd: 1 }', { limits: { onUnknownCost: 'warn' } }, false],
    ['that nobody set', '', {}, false],
  ] as const)('a limit on money %s', async (_, limits, options, isRefused) => {
    const model = modelOf('unheard-of', 'm');
    await using engine = await engineOf([profile(limits), config('openai/gpt-0')], { models: { m: model } });
    const launch = engine.launch({ profile: 'A', input: 'Go.' }, options);
    if (isRefused) await expect(launch).rejects.toMatchObject({ code: 'MODEL_UNPRICED' });
    else expect(await (await launch).result).toMatchObject({ outcome: 'success' });
  });

  it('a script costs nothing, and a fallback without a price is no less unknown', async () => {
    await using scripted = await engineOf([profile()], { models: { m: scriptedModel(['Done.']) } });
    expect(await (await scripted.launch({ profile: 'A', input: 'x' }, { limits: { costUsd: 1 } })).result).toMatchObject({
      outcome: 'success',
    });
    await using engine = await engineOf([profile(), config('openai/gpt-5-mini', '  fallbacks: [openai/gpt-0]')]);
    await expect(engine.launch({ profile: 'A', input: 'x' }, { limits: { costUsd: 1 } })).rejects.toThrow('openai/gpt-0');
  });
});

describe('price files', () => {
  it.each([
    ['type: prices\nprices: { a/b: { input: 1 } }', 'price needs both `input` and `output`'],
    ['type: prices\nprices: { a/b: { input: 1, output: 2, above: { input: 1, output: 2 } } }', '`above` needs `tokens`'],
    ['type: prices\nprices: { a/b: { input: -1, output: 2 } }', 'input'],
    ['type: prices\nprice: {}', 'price'],
  ])('%j is refused', (text, message) => {
    const { set, diagnostics } = compileProfileFiles([{ path: 'p.yaml', text }]);
    expect(set).toBeUndefined();
    expect(diagnostics.map((each) => each.message).join('\n')).toContain(message);
  });

  it('what is no plain table is read as YAML, with its errors', () => {
    for (const text of [
      'type: prices\nprices:\n  a/b: { input: -1, output: 2 }\n',
      'type: prices\nprices:\n  a/b: { input: 1 }\n',
      'x',
    ]) {
      expect(readPlainPrices(text)).toBeUndefined();
      expect(compileProfileFiles([{ path: shippedPricesPath, text }]).set).toBeUndefined();
    }
  });
});
