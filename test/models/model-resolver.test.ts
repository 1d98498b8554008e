import { describe, expect, it } from 'vitest';

import { CadreError } from '../../src/core/error.ts';
import type { LlmConfig } from '../../src/core/model/llm-config.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { isInstalled, loadProviderModel } from '../../src/models/providers/load-provider-model.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { ManualClock } from './manual-clock.ts';
import { config, gatewayFor, replyOf, request } from './model-fixtures.ts';

const saying = (text: string) => scriptedModel(() => ({ text }));

async function answerOf(models: Readonly<Record<string, unknown>>, fields: Partial<LlmConfig>): Promise<string> {
  const { gateway, clock } = gatewayFor(undefined, { models });
  return replyOf(await clock.runUntil(gateway.call(request({ config: config(fields) })))).text;
}

describe('a model object handed to the engine', () => {
  it('is found by config name, model, provider/model, default and *, in this order', async () => {
    const names = ['smart', 'gpt', 'openai/gpt', 'default', '*'];
    const fields = { name: 'smart', provider: 'openai', model: 'gpt' };
    for (let from = 0; from < names.length; from += 1) {
      const models = Object.fromEntries(names.slice(from).map((name) => [name, saying(name)]));
      expect(await answerOf(models, fields)).toBe(names[from]);
    }
  });

  it('is used even when the config lacks its key', async () => {
    expect(await answerOf({ default: saying('here') }, { provider: 'openai', model: 'gpt', missing: ['OPENAI_API_KEY'] })).toBe(
      'here',
    );
  });

  it.each([
    ['openai/gpt-5', /the text "openai\/gpt-5"/],
    [() => undefined, /a function \(call it with a model name/],
    [{ doStream: String }, /without a specificationVersion/],
    [{ specificationVersion: 'v1', doStream: String }, /specification v1/],
    [{ specificationVersion: 'v4', modelId: 'm' }, /without doStream, modelId or provider/],
    [null, /null/],
  ])('must be a model object: %o is refused at once', (value, message) => {
    const create = () => createModelGateway({ models: { bad: value }, clock: new ManualClock() });
    expect(create).toThrow(CadreError);
    expect(create).toThrow(message);
    expect(create).toThrow(/The model given as "bad"/);
  });

  it('is not found by names that objects have by nature', () => {
    const { gateway } = gatewayFor(undefined, { models: {} });
    expect(gateway.resolves(config({ name: 'constructor', model: '__proto__' })).ok).toBe(false);
  });
});

const check = (fields: Partial<LlmConfig>, env: Readonly<Record<string, string>> = {}, configs: readonly LlmConfig[] = []) =>
  gatewayFor(undefined, { models: {}, env, llmConfigs: (name) => configs.find((item) => item.name === name) }).gateway.resolves(
    config(fields),
  );

describe('a check before a run', () => {
  it.each([
    ['no provider and no model object', { model: 'gpt' }, 'MODEL_UNKNOWN', /names the model "gpt" and no provider/],
    [
      'an unknown provider',
      { provider: 'openia', model: 'gpt' },
      'MODEL_UNKNOWN',
      /did you mean "openai"\? Model objects given to the engine: none/,
    ],
    ['no key', { provider: 'openai', model: 'gpt' }, 'MODEL_UNCONFIGURED', /needs the environment variable OPENAI_API_KEY/],
    ['no key of a service', { provider: 'openrouter', model: 'm' }, 'MODEL_UNCONFIGURED', /OPENROUTER_API_KEY/],
    ['no key that is asked for', { provider: 'ollama', model: 'm', apiKeyVar: 'MINE' }, 'MODEL_UNCONFIGURED', /variable MINE/],
    ['several missing values', { provider: 'scripted', missing: ['A', 'B'] }, 'MODEL_UNCONFIGURED', /variables A, B/],
    ['no base URL', { provider: 'openai-compatible', model: 'llama' }, 'MODEL_UNCONFIGURED', /needs a base_url/],
    ['no model', { provider: 'openai-compatible', baseUrl: 'http://localhost/v1' }, 'MODEL_UNCONFIGURED', /names no model/],
    ['no script', { provider: 'scripted' }, 'MODEL_UNCONFIGURED', /needs a script/],
    [
      'a broken script',
      { provider: 'scripted', script: { rules: [{ when: 'turm == 1', reply: 'x' }] } },
      'PROFILE_INVALID',
      /rules\.0\.when: .*turm/,
    ],
  ])('names %s', (_name, fields, code, message) => {
    expect(check(fields)).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(message) } });
  });

  it('prints how to install a package that is missing', async () => {
    const provider = { packageName: '@ai-sdk/not-here', factories: ['create'] };
    expect(isInstalled(provider)).toBe(false);
    const access = { model: 'm', apiKey: undefined, settings: { values: {}, missing: [], secrets: [] } };
    await expect(loadProviderModel({ package: provider }, config(), access)).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringContaining('Install it with: npm install @ai-sdk/not-here'),
    });
  });

  it.each([
    ['a provider with its key', { provider: 'openai', model: 'gpt' }, { OPENAI_API_KEY: 'x' }],
    ['provider/model in one', { model: 'openai/gpt' }, { OPENAI_API_KEY: 'x' }],
    ['a key of another name', { provider: 'openai', model: 'gpt', apiKeyVar: 'TEAM_KEY' }, { TEAM_KEY: 'x' }],
    ['openai at a base URL, which needs no key', { provider: 'openai', model: 'llama', baseUrl: 'http://localhost/v1' }, {}],
    ['a server on this machine, which needs neither key nor URL', { provider: 'ollama', model: 'llama3.2' }, {}],
    ['a service with its key', { model: 'openrouter/meta-llama/llama-4-scout' }, { OPENROUTER_API_KEY: 'x' }],
    ['a script', { provider: 'scripted', script: { rules: [] } }, {}],
  ])('is passed by %s', (_name, fields: Partial<LlmConfig>, env: Readonly<Record<string, string>>) => {
    expect(check(fields, env)).toMatchObject({ ok: true, config: { name: 'main' } });
  });

  it('goes on to the config for when a key is missing, and stops at a circle', () => {
    const offline = config({ name: 'offline', provider: 'scripted', script: { rules: [] } });
    const online = { provider: 'openai', model: 'gpt', whenUnconfigured: 'offline' };
    expect(check(online, {}, [offline])).toMatchObject({ ok: true, config: { name: 'offline' } });
    expect(check(online, { OPENAI_API_KEY: 'x' }, [offline])).toMatchObject({ ok: true, config: { name: 'main' } });
    expect(check(online, {}, [])).toMatchObject({ ok: false, error: { code: 'MODEL_UNCONFIGURED' } });
    const circle = config({ name: 'offline', provider: 'openai', whenUnconfigured: 'main' });
    const back = config({ ...online, name: 'main' });
    expect(check(online, {}, [circle, back])).toMatchObject({
      ok: false,
      error: { code: 'MODEL_UNCONFIGURED', message: expect.stringContaining('circle') },
    });
  });
});

const failingLookup = (): never => {
  throw new Error('no configs today');
};

describe('a call with a config that cannot be called', () => {
  it('is an outcome, never an exception', async () => {
    const { gateway, clock } = gatewayFor(undefined, { models: {} });
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ provider: 'nowhere', model: 'x' }) })));
    expect(outcome).toMatchObject({
      kind: 'error',
      error: { code: 'MODEL_UNKNOWN' },
      attempts: [{ config: 'main', ms: 0, error: { code: 'MODEL_UNKNOWN' } }],
    });
  });

  it('records the config that answered in place of the one that was asked for', async () => {
    const offline = config({ name: 'offline', provider: 'scripted', script: { rules: [{ id: 'hello', reply: 'Hello.' }] } });
    const { gateway, clock } = gatewayFor(undefined, { models: {}, llmConfigs: () => offline });
    const outcome = await clock.runUntil(
      gateway.call(request({ config: config({ provider: 'openai', model: 'gpt', whenUnconfigured: 'offline' }) })),
    );
    expect(replyOf(outcome).text).toBe('Hello.');
    expect(outcome.attempts).toMatchObject([{ config: 'offline' }]);
  });

  it('survives a lookup of configs that throws', async () => {
    const { gateway, clock } = gatewayFor(undefined, { models: {}, llmConfigs: failingLookup });
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ fallbacks: ['x'] }) })));
    expect(outcome).toMatchObject({
      kind: 'error',
      error: { code: 'INTERNAL', message: expect.stringContaining('no configs today') },
    });
  });
});
