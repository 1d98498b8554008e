import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';

import type { LlmConfig } from '../../src/core/model/llm-config.ts';
import type { ModelDelta, ModelOutcome, ModelRequest } from '../../src/core/model/model.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { plainAnswer, startFakeProvider, streamAnswer, wholeReply, type Answer, type FakeProvider } from './fake-provider.ts';
import { ManualClock } from './manual-clock.ts';
import { config, errorOf, replyOf, request } from './model-fixtures.ts';

const key = 'sk-local-0123456789';
const paid = { providerCallId: 'call_a', toolName: 'pay', input: '{"amount": 10, "to": "Zoë"}' };

/** Calls a real provider package over real HTTP; only the time between attempts is simulated. */
async function callProvider(
  answers: readonly Answer[],
  fields: Partial<LlmConfig> = {},
  requestFields: Partial<ModelRequest> = {},
): Promise<{ outcome: ModelOutcome; provider: FakeProvider }> {
  await using provider = await startFakeProvider(answers);
  const clock = new ManualClock();
  // Time stops while bytes travel, and skips waits between attempts.
  let jumped = 0;
  const instant = {
    now: () => clock.now() + jumped,
    monotonic: () => clock.monotonic() + jumped,
    setTimer: (ms: number, callback: () => void) =>
      ms > 10_000
        ? () => undefined
        : clearable(() => {
            jumped += ms;
            callback();
          }),
  };
  const gateway = createModelGateway({ models: {}, clock: instant, random: () => 1, env: { LOCAL_KEY: key } });
  const local = config({
    provider: 'openai-compatible',
    model: 'llama',
    baseUrl: provider.baseUrl,
    apiKeyVar: 'LOCAL_KEY',
    ...fields,
  });
  return { outcome: await gateway.call(request({ config: local, ...requestFields })), provider };
}

function clearable(callback: () => void): () => void {
  const handle = setImmediate(callback);
  return () => clearImmediate(handle);
}

/** Plays recorded bytes to a real provider package. */
async function play(body: Uint8Array<ArrayBuffer>, broken: boolean): Promise<ModelOutcome> {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      if (broken) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  const fetch = () => Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
  const model = createOpenAICompatible({ name: 'local', baseURL: 'http://localhost/v1', fetch })('m');
  const gateway = createModelGateway({ models: { main: model }, clock: new ManualClock(), env: {} });
  return gateway.call(request({ config: config({ retry: { maxRetries: 0, waitMs: 0, maxWaitMs: 0 } }) }));
}

describe('a real provider over HTTP', () => {
  it('streams reasoning, text and a tool call', async () => {
    const deltas: ModelDelta[] = [];
    const { outcome, provider } = await callProvider(
      [streamAnswer(wholeReply)],
      { temperature: 0, maxOutputTokens: 99 },
      { onDelta: (delta) => deltas.push(delta) },
    );
    expect(replyOf(outcome)).toEqual({
      text: 'I will pay – now.',
      reasoning: 'Let me see.',
      toolCalls: [paid],
      finishReason: 'tool-calls',
      modelId: 'served',
    });
    expect(outcome.usage).toMatchObject({ inputTokens: 11, outputTokens: 7, cacheReadTokens: 3 });
    expect(outcome.attempts).toMatchObject([{ config: 'main', model: 'served' }]);
    expect(deltas.filter(({ kind }) => kind === 'text').map(({ text }) => text)).toEqual(['I will ', 'pay – now.']);
    expect(provider.bodies).toMatchObject([
      { model: 'llama', stream: true, temperature: 0, max_tokens: 99, messages: [{ role: 'user', content: 'Hello?' }] },
    ]);
    expect(provider.headers[0]?.authorization).toBe(`Bearer ${key}`);
  });

  it('is sent history, tools and headers as it wants them', async () => {
    const fields: Partial<ModelRequest> = {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Pay.' }] },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'k1', toolName: 'pay', input: { amount: 1 } }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'k1', toolName: 'pay', output: { type: 'text', value: 'done' } }],
        },
      ],
      tools: [
        {
          type: 'function',
          name: 'pay',
          description: 'Pays.',
          inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
        },
      ],
      toolChoice: { type: 'tool', toolName: 'pay' },
    };
    const { provider } = await callProvider(
      [streamAnswer(wholeReply)],
      { headers: { 'x-team': 'blue' }, reasoningEffort: 'low' },
      fields,
    );
    expect(provider.bodies).toMatchObject([
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Pay.' },
          { role: 'assistant', tool_calls: [{ id: 'k1', function: { name: 'pay', arguments: '{"amount":1}' } }] },
          { role: 'tool', tool_call_id: 'k1', content: 'done' },
        ],
        tools: [{ type: 'function', function: { name: 'pay', description: 'Pays.' } }],
        tool_choice: { type: 'function', function: { name: 'pay' } },
        reasoning_effort: 'low',
      },
    ]);
    expect(provider.headers[0]?.['x-team']).toBe('blue');
  });

  it('gets its unsigned reasoning back while it calls tools, where its config says so', async () => {
    const { outcome } = await callProvider([streamAnswer(wholeReply)], { returnReasoning: true });
    const { reasoningParts = [] } = replyOf(outcome);
    expect(reasoningParts).toEqual([{ text: 'Let me see.', providerOptions: {} }]);
    const call = { type: 'tool-call', toolCallId: 'k1', toolName: 'pay', input: {} } as const;
    const { provider } = await callProvider(
      [streamAnswer(wholeReply)],
      {},
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Pay.' }] },
          { role: 'assistant', content: [...reasoningParts.map((part) => ({ type: 'reasoning' as const, ...part })), call] },
          {
            role: 'tool',
            content: [{ type: 'tool-result', toolCallId: 'k1', toolName: 'pay', output: { type: 'text', value: 'done' } }],
          },
        ],
      },
    );
    expect(provider.bodies).toMatchObject([{ messages: [{}, { role: 'assistant', reasoning_content: 'Let me see.' }, {}] }]);
  });

  it('that is busy is asked again when it says so', async () => {
    const busy = plainAnswer(429, { 'retry-after': '2', 'content-type': 'application/json' }, '{"error":{"message":"slow down"}}');
    const { outcome } = await callProvider([busy, plainAnswer(500, {}, 'oops'), streamAnswer(wholeReply)]);
    expect(replyOf(outcome).toolCalls).toEqual([paid]);
    expect(outcome.attempts).toMatchObject([
      { error: { code: 'MODEL_RATE_LIMITED', message: expect.stringContaining('slow down') }, waitMs: 2200 },
      { error: { code: 'MODEL_UNAVAILABLE' }, waitMs: 2000 },
      {},
    ]);
  });

  it('that refuses the key is not asked again, and the key is told to nobody', async () => {
    const refusal = plainAnswer(401, { 'content-type': 'application/json' }, `{"error":{"message":"no such key: ${key}"}}`);
    const { outcome } = await callProvider([refusal]);
    expect(errorOf(outcome)).toMatchObject({ code: 'MODEL_REJECTED', message: expect.stringContaining('[secret]') });
    expect(outcome.attempts).toHaveLength(1);
    expect(JSON.stringify(outcome)).not.toContain(key);
  });

  it.each([
    ['an HTML page', 'text/html; charset=utf-8', `<html><body>Sign in with ${key}</body></html>${'x'.repeat(5000)}`],
    ['a plain JSON body', 'application/json', '{"choices":[]}'],
  ])('that answers 200 with %s gave no answer (M14)', async (_name, type, body) => {
    const { outcome } = await callProvider([plainAnswer(200, { 'content-type': type }, body)]);
    expect(errorOf(outcome)).toMatchObject({ code: 'MODEL_BAD_RESPONSE', message: expect.stringContaining(type) });
    expect(outcome.attempts).toHaveLength(3);
    expect(outcome).toMatchObject({ details: { response: expect.stringContaining(body.slice(0, 10)) } });
    expect(JSON.stringify(outcome)).not.toContain(key);
    expect(JSON.stringify(outcome).length).toBeLessThan(6000);
  });

  it.each([
    ['no choices', 'data: {"id":"r","choices":[]}\n\ndata: [DONE]\n\n', 'MODEL_BAD_RESPONSE'],
    ['only [DONE]', 'data: [DONE]\n\n', 'MODEL_BAD_RESPONSE'],
    ['nothing', '', 'MODEL_BAD_RESPONSE'],
    ['broken JSON', 'data: {"id":"r","choi\n\n', 'MODEL_BAD_RESPONSE'],
    ['an error', 'data: {"error":{"message":"the engine stopped","type":"server_error"}}\n\n', 'MODEL_UNAVAILABLE'],
    [
      'no finish',
      wholeReply.slice(0, wholeReply.indexOf('"finish_reason":"tool_calls"')).replace(/data: [^\n]*$/, ''),
      'MODEL_STREAM_CUT',
    ],
  ])('that streams %s gave no answer (M6)', async (_name, text, code) => {
    const { outcome } = await callProvider([streamAnswer(text)]);
    expect(errorOf(outcome).code).toBe(code);
    expect(outcome.attempts).toHaveLength(3);
  });

  it('that cuts the line inside the arguments has called nothing (M5)', async () => {
    const start = wholeReply.slice(0, wholeReply.indexOf('0, \\"to'));
    for (const end of ['end', 'reset'] as const) {
      const { outcome } = await callProvider([streamAnswer(start, end), streamAnswer(wholeReply)]);
      expect(replyOf(outcome).toolCalls).toEqual([paid]);
      expect(outcome.attempts[0]).toMatchObject({ partialText: 'I will pay – now.', error: { code: 'MODEL_STREAM_CUT' } });
    }
  });

  it('that hangs is let go when the call is cancelled', async () => {
    const controller = new AbortController();
    const { outcome } = await callProvider(
      [streamAnswer(wholeReply.slice(0, 700), 'hang')],
      {},
      {
        signal: controller.signal,
        onDelta: ({ kind }) => {
          if (kind === 'text') controller.abort();
        },
      },
    );
    expect(errorOf(outcome).code).toBe('MODEL_ABORTED');
    expect(outcome.attempts).toMatchObject([{ partialText: 'I will ' }]);
  });

  it('is shown the key of the moment, and none where none is named', async () => {
    await using provider = await startFakeProvider([streamAnswer(wholeReply)]);
    const env: Record<string, string> = { LOCAL_KEY: 'first-key' };
    const gateway = createModelGateway({ models: {}, clock: new ManualClock(), env });
    const local = config({ provider: 'openai', model: 'llama', baseUrl: provider.baseUrl, apiKeyVar: 'LOCAL_KEY' });
    await gateway.call(request({ config: local }));
    env['LOCAL_KEY'] = 'second-key';
    await gateway.call(request({ config: local }));
    await gateway.call(request({ config: config({ provider: 'openai-compatible', model: 'llama', baseUrl: provider.baseUrl }) }));
    expect(provider.headers.map(({ authorization }) => authorization)).toEqual([
      'Bearer first-key',
      'Bearer second-key',
      undefined,
    ]);
  });

  it('that is not there is reported as unreachable', async () => {
    const gone = await startFakeProvider([]);
    await gone[Symbol.asyncDispose]();
    const { outcome } = await callProvider([], { baseUrl: gone.baseUrl });
    expect(errorOf(outcome)).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('a recorded stream', () => {
  const bytes = new TextEncoder().encode(wholeReply);
  const finishEnd = Buffer.from(wholeReply).indexOf('"finish_reason":"tool_calls"');

  // Up to the last chunk a broken connection takes the same path as an early end, so fewer positions are enough.
  it.each([
    [false, 1],
    [true, 13],
  ])('cut at any byte gives the whole reply or none (connection broken: %s)', async (broken, step) => {
    let replies = 0;
    for (let end = 0; end < bytes.length; end += step) {
      const outcome = await play(bytes.slice(0, end), broken);
      if (outcome.kind === 'error') continue;
      replies += 1;
      expect(end).toBeGreaterThan(finishEnd);
      expect(outcome.reply).toMatchObject({ text: 'I will pay – now.', toolCalls: [paid] });
    }
    if (!broken) expect(replies).toBeGreaterThan(0);
  });
});
