import { streamText } from 'ai';
import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { callOnce, config, errorOf, replyOf, request } from './model-fixtures.ts';

const once = config({ retry: { maxRetries: 0, waitMs: 0, maxWaitMs: 0 } });

describe('a model that answers from a list', () => {
  it('gives its replies in order and remembers what it was asked', async () => {
    const model = scriptedModel([{ text: 'one' }, (asked, index) => ({ text: `${index} ${asked.prompt.length}` })]);
    const messages = request().messages;
    expect(replyOf(await callOnce(model, { messages })).text).toBe('one');
    expect(replyOf(await callOnce(model)).text).toBe('1 1');
    expect(model.requests).toHaveLength(2);
    expect(model.requests[0]?.prompt).toEqual(messages);
  });

  it('fails for good when no reply is left', async () => {
    const outcome = await callOnce(scriptedModel([]));
    expect(errorOf(outcome)).toMatchObject({
      code: 'MODEL_REJECTED',
      message: expect.stringContaining('has 0 replies, and none for call number 1'),
    });
    expect(outcome.attempts).toHaveLength(1);
  });

  it('takes a text alone for what is said', async () => {
    const model = scriptedModel(['one', () => 'two']);
    expect([replyOf(await callOnce(model)).text, replyOf(await callOnce(model)).text]).toEqual(['one', 'two']);
  });

  it('refuses what is no reply, and fields that replies do not have', async () => {
    const given = (reply: unknown): unknown => scriptedModel([{ text: 'ok' }, reply as { text: string }]);
    expect(() => given(null)).toThrow('reply 2 of the scripted model is null; a reply is a text or an object');
    expect(() => given({ toolCall: [] })).toThrow(
      /reply 2 of the scripted model has a field 'toolCall' \(did you mean 'toolCalls'\?\); a reply has/,
    );
    const outcome = await callOnce(scriptedModel(() => ({ tex: 'x' }) as object));
    expect(errorOf(outcome)).toMatchObject({ message: expect.stringContaining("reply 1 of the scripted model has a field 'tex'") });
    expect(outcome.attempts).toHaveLength(1);
  });

  it('sends broken arguments as they are', async () => {
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'pay', input: '{"amount": 1', id: 'x' },
          { name: 'pay', args: { amount: 1 }, id: 'x' },
        ],
      },
    ]);
    expect(replyOf(await callOnce(model)).toolCalls).toEqual([
      { providerCallId: 'x', toolName: 'pay', input: '{"amount": 1' },
      { providerCallId: 'x', toolName: 'pay', input: '{"amount":1}' },
    ]);
  });

  it.each([
    ['end', 'MODEL_STREAM_CUT'],
    ['error', 'MODEL_UNAVAILABLE'],
    ['reset', 'MODEL_STREAM_CUT'],
  ] as const)('cuts a stream by %s', async (cutWith, code) => {
    const outcome = await callOnce(scriptedModel([{ text: 'twelve chars', cutAfter: 4, cutWith }]), { config: once });
    expect(errorOf(outcome).code).toBe(code);
    expect(outcome.attempts[0]?.partialText).toBe('twelve');
  });

  it('keeps only the newest requests when told so', async () => {
    const model = scriptedModel(() => ({ text: 'x' }), { keepRequests: 1 });
    for (let call = 0; call < 3; call += 1) await callOnce(model);
    expect(model.requests).toHaveLength(1);
  });

  it('works with the AI SDK itself', async () => {
    expect(await streamText({ model: scriptedModel([{ text: 'Hello.' }]), prompt: 'hi' }).text).toBe('Hello.');
  });
});
