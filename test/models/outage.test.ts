import { describe, expect, it } from 'vitest';

import { defaultRetry, type LlmConfig } from '../../src/core/model/llm-config.ts';
import type { ModelOutcome, OutageNews } from '../../src/core/model/model.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { type ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { config, errorOf, gatewayFor, replyOf, request } from './model-fixtures.ts';

const patient: Partial<LlmConfig> = { retry: defaultRetry };
const down = (status = 503, headers: Readonly<Record<string, string>> = {}, message = 'down'): ScriptedReply => ({
  error: { status, message, headers },
});
const times = (count: number, reply: ScriptedReply): ScriptedReply[] => Array.from({ length: count }, () => reply);

interface Waited {
  readonly outcome: ModelOutcome;
  readonly news: readonly OutageNews[];
  readonly seconds: number;
  readonly asked: number;
}

async function waitOut(replies: readonly ScriptedReply[], fields: Partial<LlmConfig> = patient): Promise<Waited> {
  const model = scriptedModel([...replies]);
  const { gateway, clock } = gatewayFor(model);
  const news: OutageNews[] = [];
  const outcome = await clock.runUntil(gateway.call(request({ config: config(fields), onOutage: (told) => void news.push(told) })));
  return { outcome, news, seconds: clock.monotonic() / 1000, asked: model.requests.length };
}

describe('a provider that is down', () => {
  it.each([1, 5, 6, 12, 18])('is waited for: %i refused requests, then the answer (F47)', async (refused) => {
    const { outcome, news } = await waitOut([...times(refused, down()), { text: 'back' }]);
    expect(replyOf(outcome).text).toBe('back');
    expect(outcome.attempts).toHaveLength(refused + 1);
    expect(news.map(({ kind }) => kind)).toEqual(refused < 6 ? [] : ['began', 'over']);
  });

  it('is given up after retry.outage, with how long was waited, and never later', async () => {
    const { outcome, news, seconds } = await waitOut(times(60, down()));
    expect(errorOf(outcome)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(errorOf(outcome).message).toMatch(/was down for \d+ s \(retry\.outage/);
    expect(seconds).toBeGreaterThan(13 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect(news.map(({ kind }) => kind)).toEqual(['began']);
    expect(news[0]?.message).toContain('900 s in all');
  });

  it('is waited for in growing steps, none longer than the longest wait', async () => {
    const { outcome } = await waitOut(times(60, down()));
    const starts = outcome.attempts.map(({ startedAt }) => startedAt);
    const waits = starts.slice(1).map((at, index) => Math.round((at - (starts[index] ?? 0)) / 1000));
    expect(waits.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 15, 30, 60, 60]);
    expect(Math.max(...waits)).toBe(60);
  });

  it.each<[string, ScriptedReply, number]>([
    ['a 500, which may be about this prompt', down(500), 3],
    ['a quota that is used up', down(429, {}, 'You exceeded your current quota (insufficient_quota)'), 3],
    ['an answer that cannot be read', { text: 'a b c', cutAfter: 2, cutWith: 'reset' }, 3],
    ['a key that is refused', down(401), 1],
  ])('is not what %s says: no wait beyond the retries', async (_name, reply, attempts) => {
    const { outcome, news } = await waitOut(times(40, reply));
    expect(outcome.kind).toBe('error');
    expect(outcome.attempts).toHaveLength(attempts);
    expect(news).toEqual([]);
  });

  it('and cuts its first stream after it came back costs a retry, not the call', async () => {
    const { outcome } = await waitOut([...times(8, down()), { text: 'a b c', cutAfter: 2, cutWith: 'reset' }, { text: 'whole' }]);
    expect(replyOf(outcome).text).toBe('whole');
  });

  it('and then refuses the request ends the call with the refusal', async () => {
    const { outcome } = await waitOut([...times(8, down()), down(400), { text: 'never' }]);
    expect(errorOf(outcome).code).toBe('MODEL_REJECTED');
  });

  it('is not waited for when the config says so, or wants no retries', async () => {
    const { maxRetries, waitMs, maxWaitMs } = defaultRetry;
    expect((await waitOut(times(40, down()), { retry: { ...defaultRetry, outageMs: 0 } })).asked).toBe(6);
    expect((await waitOut(times(40, down()), { retry: { maxRetries, waitMs, maxWaitMs } })).asked).toBe(6);
  });

  it('is not waited for by a call for a title', async () => {
    const model = scriptedModel(times(40, down()));
    const { gateway, clock } = gatewayFor(model);
    await clock.runUntil(gateway.call(request({ config: config(patient), purpose: 'title' })));
    expect(model.requests).toHaveLength(6);
  });

  it('is waited for while the fallback refuses: the first of them that is back answers', async () => {
    const main = scriptedModel([...times(8, down()), { text: 'main is back' }]);
    const other = scriptedModel(times(40, down(401)));
    const otherConfig = config({ ...patient, name: 'other' });
    const { gateway, clock } = gatewayFor(undefined, {
      models: { main, other },
      llmConfigs: (name) => (name === 'other' ? otherConfig : undefined),
    });
    const call = gateway.call(request({ config: config({ ...patient, fallbacks: ['other'], cooldownMs: 0 }) }));
    expect(replyOf(await clock.runUntil(call)).text).toBe('main is back');
  });

  it('is not waited for once the call is cancelled', async () => {
    const model = scriptedModel(times(40, down()));
    const { gateway, clock } = gatewayFor(model);
    const abort = new AbortController();
    const onOutage = (): void => void queueMicrotask(() => abort.abort());
    const outcome = await clock.runUntil(gateway.call(request({ config: config(patient), signal: abort.signal, onOutage })));
    expect(errorOf(outcome).code).toBe('MODEL_ABORTED');
    expect(model.requests).toHaveLength(6);
    expect(clock.pending).toBe(0);
  });
});
