import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';

import type { LlmConfig } from '../../src/core/model/llm-config.ts';
import type { FinishReason, ModelOutcome } from '../../src/core/model/model.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { startFakeProvider, streamAnswer } from './fake-provider.ts';
import { config, errorOf, replyOf, request } from './model-fixtures.ts';
import { anthropicBody, chatBody, chatChunk, chatUsage, googleBody, sse, type RawReply } from './raw-wires.ts';
import { wireKeys, wires } from './wires.ts';

const said: RawReply = { text: 'Lisbon is fine.' };
const calling: RawReply = { text: 'I look.', calls: [{ id: 'call_a', name: 'look_up', args: '{"city":"Lisbon"}' }] };
const cutCall: RawReply = { calls: [{ id: 'call_a', name: 'look_up', args: '{"city":"Lis' }] };
const usage = { id: 'r1', choices: [], usage: chatUsage };
const body = (reply: RawReply, ...end: readonly (object | string)[]): string => sse(...chatBody(reply), ...end);

/** Asks once, over real HTTP and through the real package of the wire. */
async function ask(
  name: string,
  bytes: string,
  end: 'end' | 'reset' = 'end',
  fields: Partial<LlmConfig> = {},
): Promise<ModelOutcome> {
  const wire = wires[name];
  if (wire === undefined) throw new Error(`no wire ${name}`);
  await using server = await startFakeProvider([streamAnswer(bytes, end)]);
  const { provider, model, api, path } = wire;
  const baseUrl = `${new URL(server.baseUrl).origin}${path}`;
  const retry = { maxRetries: 0, waitMs: 0, maxWaitMs: 0 };
  const llm = config({ provider, model, baseUrl, retry, ...(api !== undefined && { api }), ...fields });
  const gateway = createModelGateway({ models: {}, clock: systemClock, env: wireKeys });
  return await gateway.call(request({ config: llm }));
}

describe.each(['OpenAI-compatible chat', 'OpenAI chat'])('a stream without a finish reason: %s (F12)', (wire) => {
  it.each([
    ['usage and [DONE]', body(said, usage, '[DONE]')],
    ['[DONE] alone', body(said, '[DONE]')],
    ['[DONE] without a space, and white space behind it', `${body(said)}data:[DONE]\n\n\n`],
    ['usage alone', body(said, usage)],
    ['usage in a chunk with an empty delta', body(said, chatChunk({}, undefined, { usage: chatUsage }))],
    ['usage in a chunk with empty content', body(said, chatChunk({ role: 'assistant', content: '' }, null, { usage: chatUsage }))],
    [
      'usage that is counted in every chunk, and [DONE]',
      sse(...chatBody(said).map((chunk) => ({ ...chunk, usage: chatUsage })), '[DONE]'),
    ],
    [
      'a finish reason of null, as Snowflake Cortex sends it',
      sse(chatChunk({ content: 'Lisbon is fine.' }, null, { usage: {} }), usage, '[DONE]'),
    ],
  ])('%s: the words are the reply', async (_name, bytes) => {
    const outcome = await ask(wire, bytes);
    expect(replyOf(outcome)).toMatchObject({ text: 'Lisbon is fine.', toolCalls: [], finishReason: 'stop' });
    expect(outcome.attempts).toHaveLength(1);
  });

  it.each([
    ['usage and [DONE]', body(calling, usage, '[DONE]')],
    ['[DONE]', body(calling, '[DONE]')],
    ['usage', body(calling, usage)],
  ])('%s: whole calls are calls', async (_name, bytes) => {
    expect(replyOf(await ask(wire, bytes))).toMatchObject({
      text: 'I look.',
      toolCalls: [{ providerCallId: 'call_a', toolName: 'look_up', input: '{"city":"Lisbon"}' }],
      finishReason: 'tool-calls',
    });
  });

  it.each([
    ['nothing behind the words', body(said), 'end'],
    ['a connection that is lost behind the words', body(said), 'reset'],
    ['usage that is counted in every chunk', sse(...chatBody(said).map((chunk) => ({ ...chunk, usage: chatUsage }))), 'end'],
    ['words behind the usage', sse(usage, ...chatBody(said)), 'end'],
    ['[DONE] that the model wrote itself', body({ text: 'It ends in data: [DONE]' }), 'end'],
    ['arguments that were cut, and nothing behind them', body(cutCall), 'end'],
    ['arguments that were cut, and usage and [DONE]', body(cutCall, usage, '[DONE]'), 'end'],
  ] as const)('%s: cut', async (_name, bytes, end) => {
    const outcome = await ask(wire, bytes, end);
    expect(errorOf(outcome).code).toMatch(/^MODEL_(?:STREAM_CUT|UNAVAILABLE)$/);
  });

  it('[DONE] of a server that names no type of content', async () => {
    const { provider, model, api, path } = wires[wire] ?? { provider: '', model: '', path: '' };
    await using server = await startFakeProvider([(response) => response.end(body(said, '[DONE]'))]);
    const baseUrl = `${new URL(server.baseUrl).origin}${path}`;
    const retry = { maxRetries: 0, waitMs: 0, maxWaitMs: 0 };
    const llm = config({ provider, model, baseUrl, retry, ...(api !== undefined && { api }) });
    const gateway = createModelGateway({ models: {}, clock: systemClock, env: wireKeys });
    expect(replyOf(await gateway.call(request({ config: llm }))).text).toBe('Lisbon is fine.');
  });

  it.each([
    ['[DONE]', sse('[DONE]')],
    ['usage and [DONE]', sse(usage, '[DONE]')],
  ])('%s and no content: no answer', async (_name, bytes) => {
    expect(errorOf(await ask(wire, bytes)).code).toBe('MODEL_BAD_RESPONSE');
  });
});

describe('an end without a reason on other wires (F12)', () => {
  it.each([
    ['without the event that would give it', undefined],
    ['that is null', null],
  ])('Anthropic: a stop reason %s, and message_stop', async (_name, stop) => {
    expect(replyOf(await ask('Anthropic', anthropicBody(said, stop)))).toMatchObject({
      text: 'Lisbon is fine.',
      finishReason: 'stop',
    });
    expect(replyOf(await ask('Anthropic', anthropicBody(calling, stop))).toolCalls).toHaveLength(1);
    const cut = anthropicBody(said, stop).replace(/event: message_stop[^]*$/, '');
    expect(errorOf(await ask('Anthropic', cut)).code).toBe('MODEL_STREAM_CUT');
  });

  it('Google counts in every chunk, so an end without a reason is a cut', async () => {
    expect(errorOf(await ask('Google', googleBody(said, undefined))).code).toBe('MODEL_STREAM_CUT');
  });

  it('a model object of the AI SDK, whose chunks are read', async () => {
    await using server = await startFakeProvider([streamAnswer(body(said, usage)), streamAnswer(body(said))]);
    const model = createOpenAICompatible({ name: 'own', baseURL: server.baseUrl })('m');
    const gateway = createModelGateway({ models: { main: model }, clock: systemClock, env: {} });
    const once = request({ config: config({ retry: { maxRetries: 0, waitMs: 0, maxWaitMs: 0 } }) });
    expect(replyOf(await gateway.call(once)).text).toBe('Lisbon is fine.');
    expect(errorOf(await gateway.call(once)).code).toBe('MODEL_STREAM_CUT');
  });
});

/** Finish reasons of real servers, and their meanings. */
const reasons: readonly (readonly [FinishReason, string])[] = [
  [
    'stop',
    'stop STOP eos eos_token EOS_TOKEN end_turn END_TURN stop_sequence STOP_SEQUENCE complete COMPLETE completed done finished endoftext',
  ],
  ['length', 'length max_tokens MAX_TOKENS model_length max_output_tokens model_context_window_exceeded ERROR_LIMIT'],
  [
    'content-filter',
    'content_filter content-filter content_filtered safety SAFETY recitation RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY refusal guardrail_intervened sensitive ERROR_TOXIC',
  ],
];

describe('finish reasons', () => {
  it.each(reasons.flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning] as const)))(
    '%s means %s',
    async (word, meaning) => {
      const outcome = await ask('OpenAI-compatible chat', body(said, chatChunk({}, word), '[DONE]'));
      expect(replyOf(outcome)).toMatchObject({ text: 'Lisbon is fine.', finishReason: meaning });
    },
  );

  it.each('tool_calls tool_call tool_use TOOL_CALL function_call stop eos end_turn COMPLETE'.split(' '))(
    '%s ends a reply with calls',
    async (word) => {
      const outcome = await ask('OpenAI-compatible chat', body(calling, chatChunk({}, word), '[DONE]'));
      expect(replyOf(outcome)).toMatchObject({ finishReason: 'tool-calls', toolCalls: [{ toolName: 'look_up' }] });
    },
  );

  it.each('error ERROR network_error insufficient_system_resource abort cancelled timeout OTHER made_up'.split(' '))(
    '%s is no end',
    async (word) => {
      const outcome = await ask('OpenAI-compatible chat', body(said, chatChunk({}, word), usage, '[DONE]'));
      expect(errorOf(outcome)).toMatchObject({ code: 'MODEL_STREAM_CUT', message: expect.stringContaining(word) });
    },
  );

  it.each([
    ['Google', googleBody(said, 'LANGUAGE'), 'content-filter'],
    ['Google', googleBody(said, 'IMAGE_RECITATION'), 'content-filter'],
    ['Google', googleBody(said, 'MAX_TOKENS'), 'length'],
    ['Anthropic', anthropicBody(said, 'model_context_window_exceeded'), 'length'],
    ['Anthropic', anthropicBody(said, 'pause_turn'), 'stop'],
    ['Anthropic', anthropicBody(said, 'eos'), 'stop'],
  ])('%s: %#', async (wire, bytes, meaning) => {
    expect(replyOf(await ask(wire, bytes)).finishReason).toBe(meaning);
  });
});
