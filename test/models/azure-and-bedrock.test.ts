import { afterEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../src/engine/system-clock.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { loadProfiles } from '../../src/profiles/load-profiles.ts';
import { bedrockFault, bedrockStream } from './aws-event-stream.ts';
import { type Answer, plainAnswer, startFakeProvider } from './fake-provider.ts';
import { config, errorOf, replyOf, request } from './model-fixtures.ts';

type Env = Readonly<Record<string, string>>;

const refuse = plainAnswer(401, { 'content-type': 'application/json' }, '{"message":"who are you?"}');
const aws = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIATEST0123456789', AWS_SECRET_ACCESS_KEY: 'secret-0123456789abcdef' };

/** Calls a local server through the provider's package with the LLM config's lines; URL means the server's address. */
async function callWith(lines: readonly string[], env: Env, answer: Answer = refuse) {
  const seen: { url: string; method: string }[] = [];
  const secrets: string[] = [];
  await using provider = await startFakeProvider([
    (response, body, incoming) => {
      seen.push({ url: incoming.url ?? '', method: incoming.method ?? '' });
      answer(response, body, incoming);
    },
  ]);
  const origin = new URL(provider.baseUrl).origin;
  const values = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('URL', origin)]));
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
  const text = `name: m\ntype: llm_config\nconfig:\n${[...lines, 'max_retries: 0'].map((line) => `  ${line.replace('URL', origin)}\n`).join('')}`;
  const set = await loadProfiles({ files: [{ path: 'llm_configs/m.yaml', text }] }, { env: values });
  const compiled = set.llmConfigs.get('m');
  if (compiled === undefined) throw new Error('the config was not compiled');
  const gateway = createModelGateway({ models: {}, clock: systemClock, env: values, onSecret: (value) => secrets.push(value) });
  const outcome = await gateway.call(request({ config: compiled }));
  return { outcome, seen, secrets, headers: provider.headers[0], body: provider.bodies[0] };
}

function problemOf(provider: string, env: Env, more: object = {}) {
  return createModelGateway({ models: {}, clock: systemClock, env }).resolves(config({ provider, model: 'x', ...more }));
}

afterEach(() => vi.unstubAllEnvs());

describe('[A2.4.llm-clients] azure', () => {
  const own = ['model: azure/my-deployment', 'base_url: { _type: from_env, var: GATE }'];

  it('is called by the name of a deployment, with the protocol of responses', async () => {
    const { seen, headers, body } = await callWith(own, { AZURE_API_KEY: 'azure-0123456789', GATE: 'URL/openai/v1' });
    expect(seen).toEqual([{ method: 'POST', url: '/openai/v1/responses' }]);
    expect(headers).toMatchObject({ 'api-key': 'azure-0123456789' });
    expect(body).toMatchObject({ model: 'my-deployment', store: false });
  });

  it('with api: chat speaks chat completions; a dated AZURE_API_VERSION means the addresses of deployments', async () => {
    const env = { AZURE_API_KEY: 'azure-0123456789', GATE: 'URL/openai' };
    const chat = await callWith([...own, 'api: chat'], { ...env, GATE: 'URL/openai/v1' });
    expect(chat.seen[0]?.url).toBe('/openai/v1/chat/completions');
    const dated = await callWith(own, { ...env, AZURE_API_VERSION: '2024-10-21' });
    expect(dated.seen[0]?.url).toBe('/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21');
  });

  it('names what is missing: the key, and the resource unless there is an address', () => {
    expect(problemOf('azure', {})).toMatchObject({
      ok: false,
      error: { code: 'MODEL_UNCONFIGURED', message: expect.stringMatching(/AZURE_API_KEY, AZURE_RESOURCE_NAME/) },
    });
    expect(problemOf('azure-openai', { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'r' })).toMatchObject({ ok: true });
    expect(problemOf('azure', { AZURE_API_KEY: 'k' }, { baseUrl: 'http://gate', apiKeyVar: 'AZURE_API_KEY' })).toMatchObject({
      ok: true,
    });
  });
});

describe('[A2.4.llm-clients] bedrock', () => {
  const own = ['model: bedrock/amazon.nova-lite-v1:0', 'base_url: { _type: from_env, var: GATE }'];
  const answered: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    response.end(
      bedrockStream(
        ['messageStart', { role: 'assistant' }],
        ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Zoë is ' } }],
        ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'here.' } }],
        ['contentBlockStop', { contentBlockIndex: 0 }],
        ['messageStop', { stopReason: 'end_turn' }],
        ['metadata', { usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 }, metrics: { latencyMs: 1 } }],
      ),
    );
  };

  it('answers with its key', async () => {
    const { outcome, seen, headers } = await callWith(
      own,
      { AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'bedrock-0123456789', GATE: 'URL' },
      answered,
    );
    expect(replyOf(outcome).text).toBe('Zoë is here.');
    expect(outcome.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    expect(seen).toEqual([{ method: 'POST', url: '/model/amazon.nova-lite-v1%3A0/converse-stream' }]);
    expect(headers?.authorization).toBe('Bearer bedrock-0123456789');
  });

  it('without a key signs with AWS credentials, which are kept out of every record', async () => {
    const { outcome, headers, secrets } = await callWith(
      own,
      { ...aws, AWS_SESSION_TOKEN: 'session-0123456789', GATE: 'URL' },
      answered,
    );
    expect(replyOf(outcome).text).toBe('Zoë is here.');
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIATEST0123456789\/\d{8}\/eu-west-1\/bedrock\/aws4_request/,
    );
    expect(headers).toMatchObject({ 'x-amz-security-token': 'session-0123456789' });
    expect(secrets).toEqual(expect.arrayContaining([aws.AWS_ACCESS_KEY_ID, aws.AWS_SECRET_ACCESS_KEY, 'session-0123456789']));
  });

  it('an address of a file gets no signature', async () => {
    const { headers, outcome } = await callWith(['model: bedrock/x', 'base_url: URL'], {
      ...aws,
      AWS_BEARER_TOKEN_BEDROCK: 'bedrock-0123456789',
    });
    const shown = JSON.stringify(headers);
    for (const secret of [aws.AWS_ACCESS_KEY_ID, 'AWS4', 'bedrock-0123456789']) expect(shown).not.toContain(secret);
    expect(errorOf(outcome).message).toMatch(/No key was sent/);
  });

  it('an error of authentication says what signed the request', async () => {
    const { outcome } = await callWith(own, { ...aws, GATE: 'URL' });
    expect(errorOf(outcome).message).toMatch(/signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\./);
    expect(JSON.stringify(outcome)).not.toContain(aws.AWS_SECRET_ACCESS_KEY);
  });

  it.each([
    ['throttlingException', 'MODEL_RATE_LIMITED'],
    ['modelStreamErrorException', 'MODEL_UNAVAILABLE'],
    ['validationException', 'MODEL_REJECTED'],
  ])('a stream that ends with %s is %s', async (name, code) => {
    const { outcome } = await callWith(own, { ...aws, GATE: 'URL' }, (response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
      response.end(Buffer.concat([bedrockStream(['messageStart', { role: 'assistant' }]), bedrockFault(name, { message: 'no' })]));
    });
    expect(errorOf(outcome).code).toBe(code);
  });

  it.each<[string, Env, RegExp]>([
    ['region and key', {}, /AWS_REGION, AWS_BEARER_TOKEN_BEDROCK \(or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\)/],
    ['half of the credentials', { AWS_REGION: 'r', AWS_ACCESS_KEY_ID: 'k' }, /AWS_SECRET_ACCESS_KEY/],
  ])('names what is missing: %s', (_name, env, words) => {
    for (const provider of ['bedrock', 'amazon-bedrock'])
      expect(problemOf(provider, env)).toMatchObject({
        ok: false,
        error: { code: 'MODEL_UNCONFIGURED', message: expect.stringMatching(words) },
      });
  });

  it('calls and results stay in a prompt without tools, which Bedrock takes as text only', async () => {
    await using provider = await startFakeProvider([refuse]);
    const gateway = createModelGateway({ models: {}, clock: systemClock, env: { ...aws, K: 'k-0123456789' } });
    const llm = config({ provider: 'bedrock', model: 'm', baseUrl: provider.baseUrl, apiKeyVar: 'K' });
    await gateway.call(
      request({
        config: llm,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look_up', input: { city: 'Oslo' } }] },
          {
            role: 'tool',
            content: [
              { type: 'tool-result', toolCallId: 'c1', toolName: 'look_up', output: { type: 'text', value: 'nine degrees' } },
            ],
          },
          { role: 'user', content: [{ type: 'text', text: 'Sum up.' }] },
        ],
      }),
    );
    const sent = JSON.stringify(provider.bodies[0]);
    for (const words of ['look_up', 'Oslo', 'nine degrees', 'Sum up.']) expect(sent).toContain(words);
  });
});
