import { afterEach, describe, expect, it, vi } from 'vitest';

import type { LlmConfig } from '../../src/core/model/llm-config.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { loadProfiles } from '../../src/profiles/load-profiles.ts';
import { startFakeProvider, type Answer } from './fake-provider.ts';
import { config, errorOf, request } from './model-fixtures.ts';

type Env = Readonly<Record<string, string>>;

const refuse: Answer = (response) => {
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'who are you?', type: 'authentication_error' } }));
};

/** Returns the key in the headers of a request, whichever header the provider uses; undefined when there is none. */
function keyIn(headers: Readonly<Record<string, unknown>> | undefined): unknown {
  return headers?.['authorization'] ?? headers?.['x-api-key'] ?? headers?.['x-goog-api-key'] ?? headers?.['api-key'];
}

/** Compiles an LLM config from its lines. URL in a line or in the environment means the address of the server. */
async function compile(lines: readonly string[], env: Env): Promise<LlmConfig> {
  const text = `name: m\ntype: llm_config\nconfig:\n${[...lines, 'max_retries: 0'].map((line) => `  ${line}\n`).join('')}`;
  const set = await loadProfiles({ files: [{ path: 'llm_configs/m.yaml', text }] }, { env });
  const compiled = set.llmConfigs.get('m');
  if (compiled === undefined) throw new Error('the config was not compiled');
  return compiled;
}

/** Calls a real server through a provider's real package; returns the key it received and the error. */
async function keySent(lines: readonly string[], env: Env): Promise<{ readonly key: unknown; readonly message: string }> {
  await using provider = await startFakeProvider([refuse]);
  const withUrl = (text: string) => text.replaceAll('URL', provider.baseUrl);
  const values = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, name === 'GATE' ? withUrl(value) : value]));
  // Providers' packages read the process's environment themselves.
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
  const compiled = await compile(lines.map(withUrl), values);
  const gateway = createModelGateway({ models: {}, clock: systemClock, env: values });
  const outcome = await gateway.call(request({ config: compiled }));
  expect(provider.headers, JSON.stringify(outcome)).toHaveLength(1);
  return { key: keyIn(provider.headers[0]), message: errorOf(outcome).message };
}

const fromUser = 'base_url: { _type: from_env, var: GATE }';
const keys = {
  OPENAI_API_KEY: 'sk-openai-0123456789',
  ANTHROPIC_API_KEY: 'sk-ant-0123456789',
  GOOGLE_GENERATIVE_AI_API_KEY: 'AIza-0123456789',
  GROQ_API_KEY: 'gsk-0123456789',
  OLLAMA_API_KEY: 'oll-0123456789',
  AZURE_API_KEY: 'azure-0123456789',
  AWS_BEARER_TOKEN_BEDROCK: 'bedrock-0123456789',
  AWS_REGION: 'eu-west-1',
};

afterEach(() => vi.unstubAllEnvs());

describe('F14: a key at the address the user set', () => {
  it.each([
    ['openai', ['model: openai/gpt-5'], 'Bearer sk-openai-0123456789'],
    ['openai with its own protocol', ['model: openai/gpt-5', 'api: chat'], 'Bearer sk-openai-0123456789'],
    ['anthropic', ['model: anthropic/claude'], 'sk-ant-0123456789'],
    ['google', ['model: google/gemini'], 'AIza-0123456789'],
    ['groq', ['model: groq/llama'], 'Bearer gsk-0123456789'],
    ['azure', ['model: azure/my-deployment'], 'azure-0123456789'],
    ['bedrock', ['model: bedrock/amazon.nova-lite-v1:0'], 'Bearer bedrock-0123456789'],
    ['ollama', ['model: ollama/llama'], 'Bearer oll-0123456789'],
  ])("is sent: %s gets the provider's", async (_name, lines, expected) => {
    expect((await keySent([...lines, fromUser], { ...keys, GATE: 'URL' })).key).toBe(expected);
  });

  it.each([
    ['openai', 'Bearer gateway-0123456789'],
    ['openai-compatible', 'Bearer gateway-0123456789'],
    ['anthropic', 'gateway-0123456789'],
  ])('is that of CADRE_API_KEY when it is set: %s', async (provider, expected) => {
    const env = { ...keys, CADRE_API_KEY: 'gateway-0123456789', GATE: 'URL' };
    expect((await keySent([`model: ${provider}/some`, fromUser], env)).key).toBe(expected);
    expect((await keySent([`model: ${provider}/some`, 'base_url: "${GATE}"'], env)).key).toBe(expected);
    expect((await keySent([`model: ${provider}/some`, 'api_base: { _type: from_env, var: GATE }'], env)).key).toBe(expected);
  });

  it('is the one the config names, before any other', async () => {
    const env = { ...keys, CADRE_API_KEY: 'gateway-0123456789', MINE: 'mine-0123456789', GATE: 'URL' };
    const own = 'api_key: { _type: from_env, var: MINE }';
    expect((await keySent(['model: openai/gpt-5', fromUser, own], env)).key).toBe('Bearer mine-0123456789');
  });

  it('is not needed by a server that speaks as OpenAI does', async () => {
    expect((await keySent(['model: openai/llama', fromUser], { GATE: 'URL' })).key).toBeUndefined();
  });
});

describe("F14: a key at an address that a team's file brings", () => {
  const providers = ['openai', 'anthropic', 'google', 'groq', 'ollama', 'openai-compatible', 'azure', 'bedrock'];
  const all = { ...keys, CADRE_API_KEY: 'gateway-0123456789', GATE: 'URL', EMPTY: '' };

  it.each(providers)('is not sent: %s', async (provider) => {
    expect((await keySent([`model: ${provider}/some`, 'base_url: URL'], all)).key).toBeUndefined();
  });

  it.each(['chat', 'responses'])('is not sent by the protocol of OpenAI: %s', async (api) => {
    expect((await keySent(['model: openai/some', `api: ${api}`, 'base_url: URL'], all)).key).toBeUndefined();
  });

  it.each([
    ['the default of a variable that is not set', 'base_url: { _type: from_env, var: NOT_SET, default: URL }'],
    ['the default of an empty variable', 'base_url: { _type: from_env, var: EMPTY, default: URL }'],
    ['the default in a text', 'base_url: "${NOT_SET:-URL}"'],
    ['a text with a variable behind it', 'base_url: "URL/${OPENAI_API_KEY}"'],
    ['two variables, of which one brings the address', 'base_url: "${NOT_SET:-URL}${SUFFIX:-}"'],
    ['a variable and its own end', 'base_url: "${GATE}/of/the/team"'],
  ])('is not sent to %s', async (_name, line) => {
    const { key } = await keySent(['model: openai/some', line], { ...all, SUFFIX: '/v2' });
    expect(key).toBeUndefined();
  });

  it.each([
    ['openai', 'Bearer team-0123456789'],
    ['anthropic', 'team-0123456789'],
    ['google', 'team-0123456789'],
    ['openai-compatible', 'Bearer team-0123456789'],
  ])('is sent where the config names its variable: %s', async (provider, expected) => {
    const lines = [`model: ${provider}/some`, 'base_url: URL', 'api_key: { _type: from_env, var: TEAM_KEY }'];
    expect((await keySent(lines, { ...all, TEAM_KEY: 'team-0123456789' })).key).toBe(expected);
  });

  it('is the header the config writes itself, and nothing else', async () => {
    const lines = ['model: anthropic/some', 'base_url: URL', 'headers: { x-api-key: written }'];
    expect((await keySent(lines, all)).key).toBe('written');
    const other = ['model: openai/some', 'api: chat', 'base_url: URL', 'headers: { Authorization: "Basic eA==" }'];
    expect((await keySent(other, all)).key).toBe('Basic eA==');
  });
});

describe('F14: an error of authentication', () => {
  it('says from which variable the key was read', async () => {
    const { message } = await keySent(['model: openai/some', fromUser], { ...keys, GATE: 'URL' });
    expect(message).toMatch(/401: who are you\?.* A key was sent, read from OPENAI_API_KEY\./);
    expect(message).not.toContain(keys.OPENAI_API_KEY);
  });

  it('says which variables were looked at when none is set', async () => {
    const { message } = await keySent(['model: openai/some', fromUser], { GATE: 'URL' });
    expect(message).toMatch(/No key was sent: neither CADRE_API_KEY nor OPENAI_API_KEY is set\./);
  });

  it("says why the provider's key was kept, and how to send it", async () => {
    const { message } = await keySent(['model: openai/some', 'base_url: URL'], keys);
    expect(message).toMatch(
      /No key was sent: .*the LLM config "m" sets the address itself.*api_key: \{ _type: from_env, var: OPENAI_API_KEY \}/,
    );
  });

  it('says that a model object brings its own key', async () => {
    const thrown = Object.assign(new Error('no'), { statusCode: 403 });
    const model = scriptedModel(() => {
      throw thrown;
    });
    const gateway = createModelGateway({ models: { main: model }, clock: systemClock, env: keys });
    const outcome = await gateway.call(request({ config: config({ provider: 'openai', model: 'x' }) }));
    expect(errorOf(outcome).message).toMatch(/403.*The key belongs to the model object/);
  });
});

it('a key that is used is handed on to be kept out of the record, whatever its variable is called', async () => {
  const secrets: string[] = [];
  const gateway = createModelGateway({
    models: {},
    clock: systemClock,
    env: { TEAM: 'word-0123456789' },
    onSecret: (value) => secrets.push(value),
  });
  gateway.resolves(config({ provider: 'openai', model: 'x', apiKeyVar: 'TEAM' }));
  expect(secrets).toContain('word-0123456789');
});
