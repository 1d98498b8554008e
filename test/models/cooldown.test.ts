import { describe, expect, it } from 'vitest';

import type { LlmConfig } from '../../src/core/model/llm-config.ts';
import type { ModelOutcome } from '../../src/core/model/model.ts';
import { createModelGateway, type CheckedModelGateway } from '../../src/models/gateway.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { type ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { ManualClock, settle } from './manual-clock.ts';
import { config, errorOf, partsModel, replyOf, request } from './model-fixtures.ts';

const once = { maxRetries: 0, waitMs: 1000, maxWaitMs: 60_000 };
const codes = ({ attempts }: ModelOutcome) => attempts.map(({ config: name, error }) => `${name} ${error?.code ?? 'ok'}`);

/** Streams a short reply. */
function fineStream(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'text-delta', id: 't', delta: 'fine' });
      controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} });
      controller.close();
    },
  });
}

/** Creates two gateways of one process; `main` answers as scripted, `spare` always. */
function process(
  main: () => ScriptedReply,
  fields: Partial<LlmConfig> = {},
  spare: () => ScriptedReply = () => ({ text: 'spare' }),
) {
  const clock = new ManualClock();
  const models = { main: scriptedModel(main), spare: scriptedModel(spare) };
  const spareConfig = config({ name: 'spare', retry: once });
  const options = {
    models,
    clock,
    random: () => 1,
    env: {},
    llmConfigs: (name: string) => (name === 'spare' ? spareConfig : undefined),
  };
  const gateways = [createModelGateway(options), createModelGateway(options)] as const;
  const ask = (gateway: CheckedModelGateway = gateways[0]) =>
    clock.runUntil(gateway.call(request({ config: config({ retry: once, fallbacks: ['spare'], ...fields }) })));
  return { clock, gateways, models, ask };
}

describe('a config that failed', () => {
  it.each([
    ['a rate limit', { error: { status: 429 } }],
    ['a server that fails', { error: { status: 503 } }],
    ['a key that is refused', { error: { status: 401 } }],
    ['a model that is not there', { error: { status: 404 } }],
    ['a stream that breaks off', { text: 'I be', cutAfter: 1 }],
  ])('for %s is left alone by all of the process, on record, and asked again afterwards', async (_name, failing) => {
    let down = true;
    const { clock, gateways, models, ask } = process(() => (down ? failing : { text: 'main' }));
    const code = (await ask()).attempts[0]?.error?.code;
    const second = await ask(gateways[1]);
    expect(replyOf(second).text).toBe('spare');
    expect(codes(second)).toEqual(['main MODEL_COOLING', 'spare ok']);
    expect(second.attempts[0]?.error?.message).toMatch(
      new RegExp(`failed with ${code} 0 s ago, and is tried last for another 60 s`),
    );
    expect(models.main.requests).toHaveLength(1);
    down = false;
    await clock.advance(59_999);
    expect(codes(await ask())).toEqual(['main MODEL_COOLING', 'spare ok']);
    await clock.advance(1);
    expect(codes(await ask())).toEqual(['main ok']);
    expect(codes(await ask(gateways[1]))).toEqual(['main ok']);
  });

  it.each([
    ['a prompt that is too long', { error: { status: 413 } }],
    ['a request it does not take', { error: { status: 400 } }],
  ])('for %s is not to blame: the next call asks it again', async (_name, failing) => {
    const { models, ask } = process(() => failing);
    await ask();
    await ask();
    expect(models.main.requests).toHaveLength(2);
  });

  it('is asked all the same when nothing else answers', async () => {
    let down = true;
    const { ask } = process(
      () => (down ? { error: { status: 503 } } : { text: 'back' }),
      {},
      () => ({ error: { status: 500 } }),
    );
    errorOf(await ask());
    down = false;
    const outcome = await ask();
    expect(replyOf(outcome).text).toBe('back');
    expect(codes(outcome)).toEqual(['main MODEL_COOLING', 'spare MODEL_COOLING', 'main ok']);
  });

  it('is asked at once when its cooldown is 0, or when it has no fallback', async () => {
    for (const fields of [{ cooldownMs: 0 }, { fallbacks: [] }]) {
      const { models, ask } = process(() => ({ error: { status: 503 } }), fields);
      await ask();
      await ask();
      expect(models.main.requests).toHaveLength(2);
    }
  });

  it('is left alone as long as its config says, or as the server asked', async () => {
    const { clock, ask } = process(() => ({ error: { status: 429, headers: { 'retry-after': '30' } } }), { cooldownMs: 5_000 });
    await ask();
    await clock.advance(29_000);
    expect(codes(await ask())[0]).toBe('main MODEL_COOLING');
    await clock.advance(1_000);
    expect(codes(await ask())[0]).toBe('main MODEL_RATE_LIMITED');
  });
});

describe('rate limits', () => {
  it('hold for all calls with one key, each wait is on record', async () => {
    const clock = new ManualClock();
    const model = scriptedModel(() => ({ text: 'fine' }));
    const gateways = [1, 2].map(() => createModelGateway({ models: { main: model }, clock, env: {} }));
    const limited = config({ rateLimit: { requestsPerMinute: 3 } });
    const calls = Array.from({ length: 5 }, (_, index) => gateways[index % 2]?.call(request({ config: limited })));
    await settle();
    expect(model.requests).toHaveLength(3);
    await clock.advance(60_000);
    expect(model.requests).toHaveLength(5);
    const waits = (await Promise.all(calls)).map((outcome) => outcome?.attempts[0]?.queuedMs);
    expect(waits).toEqual([undefined, undefined, undefined, 60_000, 60_000]);
  });

  it('count the tokens that were really used', async () => {
    const clock = new ManualClock();
    const usage = { inputTokens: 900, outputTokens: 100 };
    const model = scriptedModel(() => ({ text: 'fine', usage }));
    const gateway = createModelGateway({ models: { main: model }, clock, env: {} });
    const limited = config({ rateLimit: { tokensPerMinute: 3_000 }, maxOutputTokens: 10 });
    for (let index = 0; index < 3; index += 1) replyOf(await gateway.call(request({ config: limited })));
    const fourth = gateway.call(request({ config: limited }));
    await settle();
    expect(model.requests).toHaveLength(3);
    await clock.advance(60_000);
    expect(replyOf(await fourth).text).toBe('fine');
  });

  it('end in a clear error, or at a fallback, when the turn would come too late', async () => {
    const clock = new ManualClock();
    const spare = config({ name: 'spare' });
    const models = { main: scriptedModel(() => ({ text: 'main' })), spare: scriptedModel(() => ({ text: 'spare' })) };
    const gateway = createModelGateway({ models, clock, env: {}, llmConfigs: () => spare });
    const limited = config({ rateLimit: { requestsPerMinute: 1, maxWaitMs: 5_000 } });
    await gateway.call(request({ config: limited }));
    const late = await gateway.call(request({ config: limited }));
    expect(errorOf(late)).toMatchObject({ code: 'MODEL_RATE_LIMITED', message: expect.stringContaining('could start in 60 s') });
    const routed = await gateway.call(request({ config: { ...limited, fallbacks: ['spare'] } }));
    expect(codes(routed)).toEqual(['main MODEL_RATE_LIMITED', 'spare ok']);
  });

  it('let go of a call that is cancelled while it waits', async () => {
    const clock = new ManualClock();
    const gateway = createModelGateway({ models: { main: scriptedModel(() => ({ text: 'x' })) }, clock, env: {} });
    const limited = config({ rateLimit: { requestsPerMinute: 1 } });
    await gateway.call(request({ config: limited }));
    const controller = new AbortController();
    const waiting = gateway.call(request({ config: limited, signal: controller.signal }));
    await clock.advance(10_000);
    controller.abort();
    const outcome = await waiting;
    expect(errorOf(outcome).code).toBe('MODEL_ABORTED');
    expect(outcome.attempts).toMatchObject([{ queuedMs: 10_000, error: { code: 'MODEL_ABORTED' } }]);
  });

  it('a provider that refuses fifty calls at once is not stormed again by them', async () => {
    const clock = new ManualClock();
    let free = 0;
    let inFlight = 0;
    let most = 0;
    const first = new Set<unknown>();
    const model = {
      ...partsModel('v4', []),
      doStream: async (options: unknown) => {
        if (clock.monotonic() < free || first.size < 50) {
          first.add(options);
          free = Math.max(free, clock.monotonic() + 10_000);
          throw Object.assign(new Error('slow down'), { statusCode: 429, responseHeaders: { 'retry-after': '10' } });
        }
        inFlight += 1;
        most = Math.max(most, inFlight);
        await new Promise<void>((resolve) => clock.setTimer(100, resolve));
        inFlight -= 1;
        return { stream: fineStream() };
      },
    };
    const gateway = createModelGateway({ models: { main: model }, clock, random: () => 0, env: {} });
    const calls = Promise.all(Array.from({ length: 50 }, () => gateway.call(request())));
    const outcomes = await clock.runUntil(calls);
    expect(outcomes.map((outcome) => replyOf(outcome).text)).toEqual(Array.from({ length: 50 }, () => 'fine'));
    // One, two, four, eight, and so on: never all in parallel.
    expect(most).toBeLessThanOrEqual(32);
    expect(outcomes.flatMap(({ attempts }) => attempts)).toHaveLength(100);
  });

  it('what a provider says is left is heeded, without any configuration', async () => {
    const clock = new ManualClock();
    const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '7s' };
    let asked = 0;
    const model = {
      ...partsModel('v4', []),
      doStream: () => {
        asked += 1;
        return Promise.resolve({ stream: fineStream(), response: { headers } });
      },
    };
    const gateway = createModelGateway({ models: { main: model }, clock, env: {} });
    replyOf(await gateway.call(request()));
    const second = gateway.call(request());
    await clock.advance(6_999);
    expect(asked).toBe(1);
    await clock.advance(1);
    expect((await second).attempts).toMatchObject([{ queuedMs: 7_000 }]);
  });
});
