import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';

import type { PromptMessage } from '../../src/core/prompt/message.ts';
import type { ModelDelta } from '../../src/core/model/model.ts';
import type { AiSdkModel } from '../../src/models/adapter/ai-sdk-model.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { type ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { callOnce, config, errorOf, partsModel, replyOf } from './model-fixtures.ts';

const noRetry = config({ retry: { maxRetries: 0, waitMs: 0, maxWaitMs: 0 } });
const finishV4 = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 7, cacheRead: 2 }, outputTokens: { total: 5, reasoning: 1 } },
};
const finishV2 = {
  type: 'finish',
  finishReason: 'stop',
  usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12, cachedInputTokens: 2, reasoningTokens: 1 },
};
const finishOf = (version: string) => (version === 'v2' ? finishV2 : finishV4);
const text = (delta: string) => ({ type: 'text-delta', id: 't', delta });

describe('models of the AI SDK', () => {
  it('of every spec version fit', () => {
    expectTypeOf<LanguageModelV2>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV4>().toExtend<AiSdkModel>();
  });

  it.each(['v2', 'v3', 'v4'])('%s: text, reasoning, calls, usage and finish are read', async (version) => {
    const model = partsModel(version, [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r', modelId: 'served-model' },
      { type: 'reasoning-start', id: 'r1' },
      { type: 'reasoning-delta', id: 'r1', delta: 'think' },
      { type: 'reasoning-end', id: 'r1' },
      { type: 'text-start', id: 't' },
      text('Hel'),
      text('lo'),
      { type: 'text-end', id: 't' },
      { type: 'tool-input-start', id: 'c1', toolName: 'search' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"q":' },
      { type: 'tool-input-delta', id: 'c1', delta: '"x"}' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: '{"q":"x"}', providerMetadata: { test: { sig: 's' } } },
      finishOf(version),
    ]);
    const deltas: ModelDelta[] = [];
    const outcome = await callOnce(model, { onDelta: (delta) => deltas.push(delta) });
    expect(replyOf(outcome)).toEqual({
      text: 'Hello',
      reasoning: 'think',
      toolCalls: [{ providerCallId: 'c1', toolName: 'search', input: '{"q":"x"}', providerOptions: { test: { sig: 's' } } }],
      finishReason: 'tool-calls',
      modelId: 'served-model',
    });
    expect(outcome.usage).toEqual({ inputTokens: 7, outputTokens: 5, cacheReadTokens: 2, reasoningTokens: 1 });
    expect(deltas).toEqual([
      { attempt: 1, n: 1, kind: 'reasoning', text: 'think' },
      { attempt: 1, n: 2, kind: 'text', text: 'Hel' },
      { attempt: 1, n: 3, kind: 'text', text: 'lo' },
      { attempt: 1, n: 4, kind: 'tool-input', text: '', callId: 'c1', toolName: 'search' },
      { attempt: 1, n: 5, kind: 'tool-input', text: '{"q":', callId: 'c1', toolName: 'search' },
      { attempt: 1, n: 6, kind: 'tool-input', text: '"x"}', callId: 'c1', toolName: 'search' },
    ]);
  });

  it('get settings, tools and the very messages of the request', async () => {
    const model = partsModel('v4', [text('x'), finishV4]);
    const messages: readonly PromptMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'q' }] }];
    const tools = [{ type: 'function', name: 't', description: 'd', inputSchema: { type: 'object' } }] as const;
    const settings = { temperature: 0.2, topP: 0.9, maxOutputTokens: 64, seed: 7, stopSequences: ['END'], headers: { a: 'b' } };
    const fields = { ...settings, reasoningEffort: 'high', providerOptions: { test: { x: 1 } } };
    await callOnce(model, { config: config(fields), messages, tools, toolChoice: { type: 'required' } });
    expect(model.calls).toMatchObject([
      { ...settings, reasoning: 'high', providerOptions: { test: { x: 1 } }, tools, toolChoice: { type: 'required' } },
    ]);
    expect((model.calls[0] as { readonly prompt: unknown }).prompt).toBe(messages);
  });

  it('of older specs get the reasoning effort as an option of their provider', async () => {
    const model = partsModel('v3', [text('x'), finishV4]);
    await callOnce(model, { config: config({ reasoningEffort: 'low', providerOptions: { test: { x: 1 }, other: { y: 2 } } }) });
    expect(model.calls).toMatchObject([{ providerOptions: { test: { x: 1, reasoningEffort: 'low' }, other: { y: 2 } } }]);
    expect(model.calls[0]).not.toHaveProperty('reasoning');
  });

  it('are offered no tool choice without tools', async () => {
    const model = partsModel('v4', [text('x'), finishV4]);
    await callOnce(model);
    expect(model.calls[0]).not.toHaveProperty('toolChoice');
  });
});

describe('what a reply is made of', () => {
  it('keeps signed reasoning when the provider needs it back: together with tool calls', async () => {
    const signed = [
      { type: 'reasoning-start', id: 'r1', providerMetadata: { p: { itemId: 'i1' } } },
      { type: 'reasoning-delta', id: 'r1', delta: 'one' },
      { type: 'reasoning-delta', id: 'r1', delta: '', providerMetadata: { p: { signature: 'sig' } } },
      { type: 'reasoning-end', id: 'r1' },
      { type: 'reasoning-start', id: 'r2' },
      { type: 'reasoning-delta', id: 'r2', delta: 'two' },
    ];
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' };
    const withCall = replyOf(await callOnce(partsModel('v4', [...signed, call, finishV4])));
    expect(withCall.reasoning).toBe('onetwo');
    expect(withCall.reasoningParts).toEqual([{ text: 'one', providerOptions: { p: { itemId: 'i1', signature: 'sig' } } }]);
    expect(replyOf(await callOnce(partsModel('v4', [...signed, text('done'), finishV4])))).not.toHaveProperty('reasoningParts');
  });

  it.each([
    ['v2', 'aGk=', { type: 'data', data: 'aGk=' }],
    ['v3', new Uint8Array([104, 105]), { type: 'data', data: 'aGk=' }],
    ['v4', { type: 'data', data: new Uint8Array([104, 105]) }, { type: 'data', data: 'aGk=' }],
    ['v4', { type: 'url', url: new URL('https://example.com/a.png') }, { type: 'url', url: 'https://example.com/a.png' }],
  ])('%s: keeps a generated file as plain data', async (version, data, expected) => {
    const outcome = await callOnce(partsModel(version, [{ type: 'file', mediaType: 'image/png', data }, finishOf(version)]));
    expect(replyOf(outcome).files).toEqual([{ type: 'file', mediaType: 'image/png', data: expected }]);
  });

  it('replaces lone surrogates, but not a pair that came in two deltas (M17)', async () => {
    const model = partsModel('v4', [text('a\ud83d'), text('\ude00 \ud800 \u0000\ufeff'), finishV4]);
    expect(replyOf(await callOnce(model)).text).toBe('a😀 \ufffd \u0000\ufeff');
  });

  it('keeps calls with the same id apart (M11)', async () => {
    const call = { type: 'tool-call', toolCallId: 'same', toolName: 't' };
    const reply = replyOf(
      await callOnce(partsModel('v4', [{ ...call, input: '{"a":1}' }, { ...call, input: '{"a":2}' }, finishV4])),
    );
    expect(reply.toolCalls.map(({ input }) => input)).toEqual(['{"a":1}', '{"a":2}']);
  });

  it('leaves out calls the provider ran itself, and says so', async () => {
    const own = { type: 'tool-call', toolCallId: 'c', toolName: 'web', input: '{}', providerExecuted: true };
    const outcome = await callOnce(partsModel('v4', [own, text('found'), finishV4]));
    expect(replyOf(outcome).toolCalls).toEqual([]);
    expect(outcome).toMatchObject({ warnings: [expect.stringContaining('"web"')] });
  });

  it('passes on what a provider warns of', async () => {
    const warnings = [{ type: 'unsupported', feature: 'seed', details: 'ignored' }];
    expect(await callOnce(partsModel('v4', [{ type: 'stream-start', warnings }, text('x'), finishV4]))).toMatchObject({
      warnings: ['the provider does not support "seed": ignored'],
    });
  });

  it('survives a reader of deltas that throws', async () => {
    let heard = 0;
    const onDelta = (): void => {
      heard += 1;
      throw new Error('deaf');
    };
    const outcome = await callOnce(partsModel('v4', [text('a'), text('b'), finishV4]), { onDelta });
    expect(replyOf(outcome).text).toBe('ab');
    expect(heard).toBe(1);
    expect(outcome).toMatchObject({ warnings: [expect.stringContaining('deaf')] });
  });
});

describe('a stream that is no answer', () => {
  it.each(['error', 'other', 'unknown', 'interrupted', undefined, 'made-up'])(
    'finish reason %s is an error (M6)',
    async (reason) => {
      for (const finishReason of [reason, { unified: reason, raw: undefined }]) {
        const outcome = await callOnce(partsModel('v4', [text('half'), { type: 'finish', finishReason, usage: {} }]), {
          config: noRetry,
        });
        expect(errorOf(outcome).code).toBe('MODEL_STREAM_CUT');
        expect(outcome.attempts[0]?.partialText).toBe('half');
      }
    },
  );

  it("takes a local server's own word for a proper end", async () => {
    const finish = { type: 'finish', finishReason: { unified: 'other', raw: 'eos' }, usage: {} };
    expect(replyOf(await callOnce(partsModel('v4', [text('all'), finish]))).finishReason).toBe('stop');
  });

  it('nothing at all is a bad response (M14)', async () => {
    expect(errorOf(await callOnce(partsModel('v4', []), { config: noRetry })).code).toBe('MODEL_BAD_RESPONSE');
  });

  it('a page that a provider reads as an empty stream is known by its type (M14)', async () => {
    const stream = new ReadableStream({ start: (controller) => controller.close() });
    const response = { headers: { 'content-type': 'text/html; charset=utf-8' } };
    const model = {
      specificationVersion: 'v4',
      provider: 'p',
      modelId: 'm',
      doStream: () => Promise.resolve({ stream, response }),
    };
    expect(errorOf(await callOnce(model, { config: noRetry }))).toMatchObject({
      code: 'MODEL_BAD_RESPONSE',
      message: expect.stringContaining('HTML'),
    });
  });

  it('parts that are no parts are a bad response', async () => {
    for (const part of [null, 'text', 7, {}, { type: 'text-delta', id: 't' }, { type: 'text-delta', id: 't', delta: 3 }]) {
      expect(errorOf(await callOnce(partsModel('v4', [part, finishV4]), { config: noRetry })).code).toBe('MODEL_BAD_RESPONSE');
    }
  });

  it('arguments that began and never ended are a cut, and a limit when the length was hit', async () => {
    const begun = [
      { type: 'tool-input-start', id: 'c', toolName: 'pay' },
      { type: 'tool-input-delta', id: 'c', delta: '{"a"' },
    ];
    expect(errorOf(await callOnce(partsModel('v4', [...begun, finishV4]), { config: noRetry })).code).toBe('MODEL_STREAM_CUT');
    const length = { ...finishV4, finishReason: { unified: 'length', raw: 'length' } };
    const outcome = await callOnce(partsModel('v4', [...begun, length]));
    expect(replyOf(outcome)).toMatchObject({ toolCalls: [], finishReason: 'length' });
    expect(outcome).toMatchObject({ warnings: [expect.stringContaining('"pay"')] });
  });

  it.each([
    [{ message: 'overloaded', type: 'overloaded_error' }, 'MODEL_UNAVAILABLE'],
    [{ message: 'Rate limit reached', code: 'rate_limit_exceeded' }, 'MODEL_RATE_LIMITED'],
    [{ message: 'slow', code: 429 }, 'MODEL_RATE_LIMITED'],
    [{ message: 'maximum context length is 4096 tokens' }, 'MODEL_CONTEXT_TOO_LONG'],
    [{ message: 'bad', type: 'invalid_request_error' }, 'MODEL_REJECTED'],
    [{ error: { message: 'deep' } }, 'MODEL_UNAVAILABLE'],
    [Object.assign(new Error('x'), { name: 'AI_TypeValidationError' }), 'MODEL_STREAM_CUT'],
    ['just text', 'MODEL_UNAVAILABLE'],
  ])('an error part %j ends it, whatever follows', async (error, code) => {
    const outcome = await callOnce(partsModel('v4', [text('a'), { type: 'error', error }, text('b'), finishV4]), {
      config: noRetry,
    });
    expect(errorOf(outcome).code).toBe(code);
    expect(outcome.attempts[0]?.partialText).toBe('a');
  });

  it('what breaks after a proper end takes nothing back', async () => {
    expect(replyOf(await callOnce(partsModel('v4', [text('a'), finishV4, { type: 'error', error: 'late' }]))).text).toBe('a');
    const model = scriptedModel([
      {
        parts: [
          { type: 'text-delta', id: 't', delta: 'a' },
          {
            type: 'finish',
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: 1, text: 1, reasoning: 0 },
            },
          },
        ],
        cutAfter: 2,
        cutWith: 'reset',
      },
    ]);
    expect(replyOf(await callOnce(model)).text).toBe('a');
  });

  it('stops at 2 MB of text and at a thousand calls, and lets go of the stream (M15)', async () => {
    let made = 0;
    let cancelled = false;
    const endless = (part: () => unknown) => ({
      specificationVersion: 'v4',
      provider: 'p',
      modelId: 'm',
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream({
            pull: (controller) => controller.enqueue(part()),
            cancel: () => {
              cancelled = true;
            },
          }),
        }),
    });
    const megabyte = 'x'.repeat(100_000);
    for (const part of [
      () => text(megabyte),
      () => ({ type: 'reasoning-delta', id: 'r', delta: megabyte }),
      () => ({ type: 'tool-input-delta', id: 'c', delta: megabyte }),
      () => ({ type: 'tool-call', toolCallId: `c${made}`, toolName: 't', input: '{}' }),
      () => ({ type: 'tool-input-start', id: `c${made}`, toolName: 't' }),
    ]) {
      made = 0;
      cancelled = false;
      const counted = () => ((made += 1), part());
      const outcome = await callOnce(endless(counted));
      expect(errorOf(outcome).code).toBe('MODEL_OUTPUT_TOO_LARGE');
      expect(outcome.attempts).toHaveLength(1);
      expect(made).toBeLessThan(1_010);
      expect(cancelled).toBe(true);
      expect(JSON.stringify(outcome).length).toBeLessThan(40_000);
    }
  });

  it('cut anywhere, in any way, it yields no reply and no call (M5)', async () => {
    const whole: ScriptedReply = {
      reasoning: 'first think',
      text: 'then speak about it',
      toolCalls: [
        { name: 'pay', args: { amount: 10 } },
        { name: 'note', args: {} },
      ],
    };
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 15 }), fc.constantFrom('end', 'error', 'reset'), async (cutAfter, cutWith) => {
        const cut = await callOnce(scriptedModel([{ ...whole, cutAfter, cutWith }]), { config: noRetry });
        expect(cut.kind).toBe('error');
        const again = await callOnce(scriptedModel([{ ...whole, cutAfter, cutWith }, whole]));
        expect(replyOf(again)).toMatchObject({ text: whole.text, toolCalls: [{ toolName: 'pay' }, { toolName: 'note' }] });
        expect(again.attempts).toHaveLength(2);
      }),
      { numRuns: 60 },
    );
  });
});
