import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Usage } from '../../src/core/model/model.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { bedrockStream } from './aws-event-stream.ts';
import { config, replyOf, request } from './model-fixtures.ts';
import { wireKeys, wires } from './wires.ts';

const events = (list: readonly object[]): string =>
  list.map((data) => `${'type' in data ? `event: ${String(data.type)}\n` : ''}data: ${JSON.stringify(data)}\n\n`).join('');

/** Short answers in each wire format with full usage: 1000 in (700 read from a cache), 50 out (30 reasoning). */
const chat = `${events([
  { id: 'r', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'fine' }, finish_reason: null }] },
  { id: 'r', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  {
    id: 'r',
    model: 'm',
    choices: [],
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 700 },
      completion_tokens_details: { reasoning_tokens: 30 },
    },
  },
])}data: [DONE]\n\n`;
const answers: Readonly<Record<string, string | Buffer>> = {
  '/v1/chat/completions': chat,
  '/v1/responses': events([
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i', role: 'assistant', content: [] } },
    { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'fine' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: {
        type: 'message',
        id: 'i',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'fine', annotations: [] }],
      },
    },
    {
      type: 'response.completed',
      response: {
        id: 'r',
        usage: {
          input_tokens: 1000,
          input_tokens_details: { cached_tokens: 700 },
          output_tokens: 50,
          output_tokens_details: { reasoning_tokens: 30 },
        },
      },
    },
  ]),
  '/v1/messages': events([
    {
      type: 'message_start',
      message: {
        id: 'r',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 100, cache_read_input_tokens: 700, cache_creation_input_tokens: 200, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'fine' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 50 } },
    { type: 'message_stop' },
  ]),
  '/model/anthropic.claude-sonnet-4-5-v1%3A0/converse-stream': bedrockStream(
    ['messageStart', { role: 'assistant' }],
    ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'fine' } }],
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'end_turn' }],
    [
      'metadata',
      {
        usage: { inputTokens: 100, outputTokens: 50, totalTokens: 1050, cacheReadInputTokens: 700, cacheWriteInputTokens: 200 },
        metrics: { latencyMs: 9 },
      },
    ],
  ),
  '/v1beta/models/gemini-2.5-pro:streamGenerateContent': events([
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'fine' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 700,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 30,
        totalTokenCount: 1050,
      },
    },
  ]),
};

const server = createServer((incoming, response) => {
  incoming.resume();
  incoming.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answers[new URL(incoming.url ?? '/', 'http://x').pathname] ?? '');
  });
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const told: Usage = { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 700, reasoningTokens: 30 };
const expected: Readonly<Record<string, { readonly usage: Usage; readonly cost: number }>> = {
  'OpenAI responses': { usage: told, cost: (300 * 10 + 700 * 1 + 20 * 40 + 30 * 50) / 1e6 },
  'OpenAI chat': { usage: told, cost: (300 * 10 + 700 * 1 + 20 * 40 + 30 * 50) / 1e6 },
  'OpenAI-compatible chat': { usage: told, cost: (300 * 10 + 700 * 1 + 20 * 40 + 30 * 50) / 1e6 },
  // Anthropic counts cache reads and writes apart from other input.
  Anthropic: {
    usage: { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 700, cacheWriteTokens: 200 },
    cost: (100 * 10 + 700 * 1 + 200 * 12 + 50 * 40) / 1e6,
  },
  'Azure responses': { usage: told, cost: (300 * 10 + 700 * 1 + 20 * 40 + 30 * 50) / 1e6 },
  'Azure chat': { usage: told, cost: (300 * 10 + 700 * 1 + 20 * 40 + 30 * 50) / 1e6 },
  // Bedrock does too.
  Bedrock: {
    usage: { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 700, cacheWriteTokens: 200 },
    cost: (100 * 10 + 700 * 1 + 200 * 12 + 50 * 40) / 1e6,
  },
  // Google counts reasoning apart from other output.
  Google: { usage: told, cost: (300 * 10 + 700 * 1 + 20 * 40 + 30 * 50) / 1e6 },
};

describe('[A4.4.gateways] usage and cost over HTTP', () => {
  it.each(Object.entries(wires))('%s: input, output, cache and reasoning are told apart, and priced', async (name, wire) => {
    const { provider, model, path, api } = wire;
    const price = { input: 10, output: 40, cacheRead: 1, cacheWrite: 12, reasoning: 50 };
    const llm = config({ provider, model, baseUrl: `${url}${path}`, price, ...(api !== undefined && { api }) });
    const outcome = await createModelGateway({ models: {}, clock: systemClock, env: wireKeys }).call(request({ config: llm }));
    expect(replyOf(outcome).text).toBe('fine');
    expect(outcome.usage).toMatchObject(expected[name]?.usage ?? {});
    expect(outcome.cost).toBeCloseTo(expected[name]?.cost ?? 0, 12);
  });
});
