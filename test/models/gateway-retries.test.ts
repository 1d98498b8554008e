import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ModelOutcome } from '../../src/core/model/model.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { type ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { callOnce, config, errorOf, gatewayFor, replyOf, request } from './model-fixtures.ts';
import { settle } from './manual-clock.ts';

const ok: ScriptedReply = { text: 'fine' };
const codes = (outcome: ModelOutcome) => outcome.attempts.map(({ error }) => error?.code);
const waits = (outcome: ModelOutcome) => outcome.attempts.map(({ waitMs }) => waitMs);

describe('failures that pass (M1, M2)', () => {
  it.each([
    [429, 'MODEL_RATE_LIMITED'],
    [408, 'MODEL_UNAVAILABLE'],
    [409, 'MODEL_UNAVAILABLE'],
    [500, 'MODEL_UNAVAILABLE'],
    [502, 'MODEL_UNAVAILABLE'],
    [503, 'MODEL_UNAVAILABLE'],
    [529, 'MODEL_UNAVAILABLE'],
  ])('retries HTTP %i and keeps the attempt', async (status, code) => {
    const outcome = await callOnce(scriptedModel([{ error: { status } }, ok]));
    expect(replyOf(outcome).text).toBe('fine');
    expect(codes(outcome)).toEqual([code, undefined]);
  });

  it.each(['ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'UND_ERR_SOCKET'])(
    'retries the network error %s',
    async (code) => {
      const error = new TypeError('fetch failed', { cause: Object.assign(new Error('socket'), { code }) });
      const outcome = await callOnce(scriptedModel([{ error }, ok]));
      expect(codes(outcome)).toEqual(['MODEL_UNAVAILABLE', undefined]);
      expect(outcome.attempts[0]?.error?.message).toContain(code);
    },
  );

  it('waits longer each time, up to the policy, and then gives up with all attempts on record', async () => {
    const model = scriptedModel(() => ({ error: { status: 429, message: 'slow down' } }));
    const outcome = await callOnce(model, { config: config({ retry: { maxRetries: 4, waitMs: 3000, maxWaitMs: 10_000 } }) });
    expect(errorOf(outcome)).toEqual({
      code: 'MODEL_RATE_LIMITED',
      message: 'The provider answered 429: slow down. (the last of 5 attempts; all are in the turn record)',
    });
    expect(waits(outcome)).toEqual([3000, 6000, 10_000, 10_000, undefined]);
    expect(model.requests).toHaveLength(5);
  });

  it('draws each wait from the whole range', async () => {
    const draws = [0, 0.25, 0.5];
    const model = scriptedModel(() => ({ error: { status: 500 } }));
    const policy = { maxRetries: 3, waitMs: 1000, maxWaitMs: 60_000 };
    const outcome = await callOnce(model, { config: config({ retry: policy }) }, { random: () => draws.shift() ?? 0 });
    expect(waits(outcome)).toEqual([0, 500, 2000, undefined]);
  });

  it('is back exactly when the wait is over', async () => {
    const model = scriptedModel([{ error: { status: 500 } }, ok]);
    const { gateway, clock } = gatewayFor(model);
    const call = gateway.call(request());
    await clock.advance(999);
    expect(model.requests).toHaveLength(1);
    await clock.advance(1);
    expect(model.requests).toHaveLength(2);
    expect((await call).kind).toBe('reply');
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['fractions of a second', { 'Retry-After': '0.5' }, 500],
    ['milliseconds', { 'retry-after-ms': '1250', 'retry-after': '9' }, 1250],
    ['an absurd time', { 'retry-after': '1000000000' }, 60_000],
    ['zero', { 'retry-after': '0' }, 500],
    ['nonsense', { 'retry-after': 'soon' }, 500],
  ])('honours a retry-after in %s', async (_name, headers, expected) => {
    const retry = { maxRetries: 1, waitMs: 1000, maxWaitMs: 60_000 };
    const spread = expected === 500 && !('Retry-After' in headers) ? 0.5 : 0;
    const outcome = await callOnce(
      scriptedModel([{ error: { status: 429, headers } }, ok]),
      { config: config({ retry }) },
      { random: () => spread },
    );
    expect(waits(outcome)).toEqual([expected, undefined]);
  });

  it('honours a retry-after date, and one in the past is no wait of its own', async () => {
    const { gateway, clock } = gatewayFor(
      scriptedModel([
        (): ScriptedReply => ({ error: { status: 429, headers: { 'retry-after': new Date(clock.now() + 5000).toUTCString() } } }),
        (): ScriptedReply => ({ error: { status: 503, headers: { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' } } }),
        ok,
      ]),
      { random: () => 0 },
    );
    const outcome = await clock.runUntil(gateway.call(request()));
    expect(waits(outcome)).toEqual([5000, 0, undefined]);
  });

  it('never waits longer than the policy says, whatever the server asks', () => {
    return fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 2_000_000_000 }),
        fc.nat({ max: 100_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (after, cap, draw) => {
          const retry = { maxRetries: 1, waitMs: 1000, maxWaitMs: cap };
          const model = scriptedModel([{ error: { status: 429, headers: { 'retry-after': String(after) } } }, ok]);
          const outcome = await callOnce(model, { config: config({ retry }) }, { random: () => draw });
          expect(outcome.attempts[0]?.waitMs).toBeLessThanOrEqual(cap);
          expect(outcome.attempts[0]?.waitMs).toBeGreaterThanOrEqual(Math.floor(Math.min(cap, after === 0 ? 0 : after * 1000)));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('failures that stay (M3)', () => {
  it.each([
    [400, '', 'MODEL_REJECTED'],
    [401, '', 'MODEL_REJECTED'],
    [403, '', 'MODEL_REJECTED'],
    [404, '', 'MODEL_REJECTED'],
    [422, '', 'MODEL_REJECTED'],
    [413, '', 'MODEL_CONTEXT_TOO_LONG'],
    [400, '{"error":{"code":"context_length_exceeded"}}', 'MODEL_CONTEXT_TOO_LONG'],
    [400, '{"error":{"message":"prompt is too long: 210000 tokens"}}', 'MODEL_CONTEXT_TOO_LONG'],
    [400, '{"error":{"code":"content_filter"}}', 'MODEL_REFUSED'],
  ])('does not retry HTTP %i %s', async (status, body, code) => {
    const model = scriptedModel(() => ({ error: { status, body } }));
    const outcome = await callOnce(model);
    expect(errorOf(outcome).code).toBe(code);
    expect(outcome.attempts).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });

  it('keeps the key and the headers out of everything it reports', async () => {
    const key = 'very-private-value/+1';
    const leaky = `key ${key} (${encodeURIComponent(key)}, ${Buffer.from(key).toString('base64')}), header hush-hush-1, Bearer abcdef123456, sk-proj-abcdefgh1234`;
    const model = scriptedModel(() => ({ error: { status: 401, message: leaky, body: leaky } }));
    const fields = { config: config({ apiKeyVar: 'MY_KEY', headers: { 'x-team': 'hush-hush-1' } }) };
    const outcome = await callOnce(model, fields, { env: { MY_KEY: key } });
    const everything = JSON.stringify(outcome);
    for (const secret of [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString('base64'),
      'hush-hush-1',
      'abcdef123456',
      'sk-proj',
    ]) {
      expect(everything).not.toContain(secret);
    }
    expect(errorOf(outcome).message).toContain('Check the key');
  });

  it('does not retry a call that can never be made', async () => {
    const error = Object.assign(new Error('video is not supported'), { name: 'AI_UnsupportedFunctionalityError' });
    expect(errorOf(await callOnce(scriptedModel(() => ({ error }))))).toMatchObject({ code: 'MODEL_REJECTED' });
  });
});

describe('whatever is thrown', () => {
  const circular = new Error('round');
  circular.cause = circular;
  it.each([
    ['a text', 'boom'],
    ['nothing', undefined],
    ['a frozen error', Object.freeze(new Error('cold'))],
    ['a circular error', circular],
    [
      'a hostile object',
      {
        get message() {
          throw new Error('no');
        },
      },
    ],
    ['a null prototype', Object.create(null)],
    [
      'a circular object',
      (() => {
        const loop: Record<string, unknown> = {};
        loop['self'] = loop;
        return loop;
      })(),
    ],
  ])('%s becomes an outcome', async (_name, thrown) => {
    const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doStream: () => Promise.reject(thrown) };
    const outcome = await callOnce(model);
    expect(errorOf(outcome).code).toBe('MODEL_UNAVAILABLE');
    expect(outcome.attempts).toHaveLength(3);
  });

  it('a model that throws at once, or has no stream, becomes an outcome', async () => {
    const thrower = {
      specificationVersion: 'v4',
      provider: 'p',
      modelId: 'm',
      doStream: () => {
        throw new Error('at once');
      },
    };
    expect(errorOf(await callOnce(thrower)).message).toContain('at once');
    const empty = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doStream: () => Promise.resolve({}) };
    expect((await callOnce(empty)).kind).toBe('error');
  });
});

describe('empty replies (M12)', () => {
  it.each([
    ['nothing', {}],
    ['white space', { text: ' \n\t ' }],
    ['thinking only', { reasoning: 'let me see' }],
  ])('%s is retried once, then handed over as it is', async (_name, reply: ScriptedReply) => {
    const model = scriptedModel(() => reply);
    const outcome = await callOnce(model);
    expect(replyOf(outcome).text.trim()).toBe('');
    expect(codes(outcome)).toEqual(['MODEL_EMPTY_REPLY', 'MODEL_EMPTY_REPLY']);
  });

  it('takes the second answer when there is one', async () => {
    const outcome = await callOnce(scriptedModel([{}, ok]));
    expect(replyOf(outcome).text).toBe('fine');
    expect(codes(outcome)).toEqual(['MODEL_EMPTY_REPLY', undefined]);
  });

  it('is not retried when retries are off', async () => {
    const outcome = await callOnce(scriptedModel([{}]), { config: config({ retry: { maxRetries: 0, waitMs: 1, maxWaitMs: 1 } }) });
    expect(codes(outcome)).toEqual(['MODEL_EMPTY_REPLY']);
  });
});

describe('refusals and limits (M7, M13)', () => {
  it('reports a filtered reply as it came and does not ask again', async () => {
    const outcome = await callOnce(scriptedModel([{ text: 'I can', finishReason: 'content-filter' }]));
    expect(replyOf(outcome)).toMatchObject({ text: 'I can', finishReason: 'content-filter' });
    expect(codes(outcome)).toEqual(['MODEL_REFUSED']);
  });

  it('hands over a reply that hit its length with its reason, calls included', async () => {
    const reply: ScriptedReply = { text: 'so', toolCalls: [{ name: 'pay', input: '{"amount": 1' }], finishReason: 'length' };
    expect(replyOf(await callOnce(scriptedModel([reply])))).toMatchObject({
      finishReason: 'length',
      toolCalls: [{ toolName: 'pay', input: '{"amount": 1' }],
    });
  });

  it('does not ask again for an empty reply that hit its length', async () => {
    const outcome = await callOnce(scriptedModel([{ reasoning: 'long thoughts', finishReason: 'length' }]));
    expect(outcome.attempts).toHaveLength(1);
  });
});

describe('fallbacks', () => {
  const broken = scriptedModel(() => ({ error: { status: 500 } }));
  const rejecting = scriptedModel(() => ({ error: { status: 401 } }));
  const good = scriptedModel(() => ok);
  const configs = new Map([config({ name: 'spare' }), config({ name: 'last' })].map((item) => [item.name, item]));
  const llmConfigs = (name: string) => configs.get(name);

  it('[B.4] are tried in order once retries are used up', async () => {
    const { gateway, clock } = gatewayFor(undefined, { llmConfigs, models: { main: broken, spare: rejecting, last: good } });
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ fallbacks: ['spare', 'last'] }) })));
    expect(replyOf(outcome).text).toBe('fine');
    expect(outcome.attempts.map((attempt) => [attempt.config, attempt.error?.code])).toEqual([
      ['main', 'MODEL_UNAVAILABLE'],
      ['main', 'MODEL_UNAVAILABLE'],
      ['main', 'MODEL_UNAVAILABLE'],
      ['spare', 'MODEL_REJECTED'],
      ['last', undefined],
    ]);
  });

  it('that cannot be called are on record and passed over', async () => {
    const { gateway, clock } = gatewayFor(undefined, { llmConfigs, models: { main: rejecting, last: good } });
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ fallbacks: ['nowhere', 'spare', 'last'] }) })));
    expect(replyOf(outcome).text).toBe('fine');
    expect(codes(outcome)).toEqual(['MODEL_REJECTED', 'MODEL_UNKNOWN', 'MODEL_UNKNOWN', undefined]);
  });

  it('number their deltas as attempts of their own', async () => {
    const attempts = new Set<number>();
    const { gateway, clock } = gatewayFor(undefined, {
      llmConfigs,
      models: { main: scriptedModel(() => ({ text: 'half', cutAfter: 3 })), spare: good },
    });
    const fields = {
      config: config({ fallbacks: ['spare'] }),
      onDelta: (delta: { readonly attempt: number }) => attempts.add(delta.attempt),
    };
    await clock.runUntil(gateway.call(request(fields)));
    expect([...attempts]).toEqual([1, 2, 3, 4]);
  });

  it('are not asked for what a model refused', async () => {
    const refusing = scriptedModel(() => ({ error: { status: 400, body: 'content_filter' } }));
    const { gateway, clock } = gatewayFor(undefined, { llmConfigs, models: { main: refusing, spare: good } });
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ fallbacks: ['spare'] }) })));
    expect(errorOf(outcome).code).toBe('MODEL_REFUSED');
  });
});

describe('an abort', () => {
  it('before the call makes no request', async () => {
    const model = scriptedModel([ok]);
    const outcome = await callOnce(model, { signal: AbortSignal.abort('not wanted') });
    expect(errorOf(outcome)).toEqual({ code: 'MODEL_ABORTED', message: 'The model call was cancelled: not wanted' });
    expect(model.requests).toHaveLength(0);
  });

  it('while it waits for a retry ends the call at once', async () => {
    const controller = new AbortController();
    const model = scriptedModel(() => ({ error: { status: 500 } }));
    const { gateway, clock } = gatewayFor(model);
    const call = gateway.call(request({ signal: controller.signal }));
    await clock.advance(10);
    controller.abort();
    const outcome = await call;
    expect(errorOf(outcome).code).toBe('MODEL_ABORTED');
    expect(codes(outcome)).toEqual(['MODEL_UNAVAILABLE']);
    expect(clock.pending).toBe(0);
  });

  it.each([false, true])('in the middle of a stream keeps what had come (model ignores aborts: %s)', async (ignoreAbort) => {
    const controller = new AbortController();
    const model = scriptedModel([{ text: 'twelve chars', cutAfter: 4, hang: true, ignoreAbort }]);
    const { gateway, clock } = gatewayFor(model);
    const call = gateway.call(request({ signal: controller.signal }));
    await settle();
    controller.abort();
    const outcome = await call;
    expect(errorOf(outcome).code).toBe('MODEL_ABORTED');
    expect(outcome.attempts).toMatchObject([{ partialText: 'twelve', error: { code: 'MODEL_ABORTED' } }]);
    expect(clock.pending).toBe(0);
  });

  it('leaves no listener behind on a signal that lives long', async () => {
    const { signal } = new AbortController();
    const { gateway, clock } = gatewayFor(scriptedModel(() => ok));
    const added: string[] = [];
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      added.push('+');
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      added.push('-');
      remove(...args);
    };
    for (let call = 0; call < 5; call += 1) await clock.runUntil(gateway.call(request({ signal })));
    expect(added.join('')).toBe('+-+-+-+-+-');
  });
});

describe('usage and cost (M16)', () => {
  const price = { input: 2, output: 10, cacheRead: 0.5 };

  it('adds up what all attempts used', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 400_000 };
    const outcome = await callOnce(scriptedModel([{ usage }, { text: 'x', usage }]), { config: config({ price }) });
    expect(outcome.usage).toEqual({ inputTokens: 2_000_000, outputTokens: 200_000, cacheReadTokens: 800_000 });
    expect(outcome).toMatchObject({ cost: 2 * (0.6 * 2 + 0.4 * 0.5 + 1) });
  });

  it('knows no cost without a price or without counts', async () => {
    const usage = { inputTokens: 10, outputTokens: 10 };
    expect(await callOnce(scriptedModel([{ text: 'x', usage }]))).not.toHaveProperty('cost');
    expect(await callOnce(scriptedModel([{ text: 'x' }]), { config: config({ price }) })).not.toHaveProperty('cost');
    const cut = scriptedModel([
      { text: 'half', cutAfter: 3 },
      { text: 'x', usage },
    ]);
    // What a cut stream used is estimated.
    expect((await callOnce(cut, { config: config({ price }) })).cost).toBeGreaterThan(0.00012);
  });

  it('a request that was turned away costs nothing', async () => {
    const model = scriptedModel([{ error: { status: 429 } }, { text: 'x', usage: { inputTokens: 500_000, outputTokens: 0 } }]);
    expect(await callOnce(model, { config: config({ price }) })).toMatchObject({ cost: 1 });
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('drops a count of %d', async (count) => {
    const usage = { inputTokens: count, outputTokens: 3 };
    expect((await callOnce(scriptedModel([{ text: 'x', usage }]))).usage).toEqual({ outputTokens: 3 });
  });
});
