import { describe, expect, it } from 'vitest';

import { DeadlineWatch, type DeadlinePhase } from '../../src/models/attempts/deadlines.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { type ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { ManualClock, settle } from './manual-clock.ts';
import { config, errorOf, gatewayFor, request } from './model-fixtures.ts';

const deadlines = { connect: 30, firstToken: 120, betweenChunks: 60, total: 900 };

interface Watched {
  readonly watch: DeadlineWatch;
  readonly expired: [DeadlinePhase, number][];
  /** A chunk arrives, as the reader of a stream notes it; `false` is a heartbeat. */
  readonly chunk: (isContent: boolean) => void;
}

function watchOn(clock: ManualClock, limits = deadlines): Watched {
  const expired: [DeadlinePhase, number][] = [];
  const start = clock.monotonic();
  const onExpire = (phase: DeadlinePhase): void => {
    expired.push([phase, clock.monotonic() - start]);
  };
  const watch = new DeadlineWatch({ clock, deadlines: limits, startedAt: start, totalDue: start + limits.total, onExpire });
  let hasBegun = false;
  const chunk = (isContent: boolean): void => {
    watch.lastChunkAt = clock.monotonic();
    if (!isContent || hasBegun) return;
    hasBegun = true;
    watch.begin();
  };
  return { watch, expired, chunk };
}

describe('the deadlines of an attempt', () => {
  it('end it when nothing connects', async () => {
    const clock = new ManualClock();
    const { watch, expired } = watchOn(clock);
    await clock.advance(5);
    watch.connecting();
    await clock.advance(29);
    expect(expired).toEqual([]);
    await clock.advance(1000);
    expect(expired).toEqual([['connect', 35]]);
  });

  it('leave a connection that stands the time of the first token, head or no head', async () => {
    const clock = new ManualClock();
    const { watch, expired } = watchOn(clock);
    watch.connecting();
    await clock.advance(20);
    watch.connected();
    await clock.advance(99);
    expect(expired).toEqual([]);
    await clock.advance(1);
    expect(expired).toEqual([['firstToken', 120]]);
  });

  it('give a connection no longer than the first token', async () => {
    const clock = new ManualClock();
    const { watch, expired } = watchOn(clock, { ...deadlines, connect: 500 });
    watch.connecting();
    await clock.advance(1000);
    expect(expired).toEqual([['connect', 120]]);
  });

  it('end it when no first token comes, heartbeats or not', async () => {
    const clock = new ManualClock();
    const { watch, expired, chunk } = watchOn(clock);
    await clock.advance(10);
    watch.connected();
    for (let beat = 0; beat < 20; beat += 1) {
      await clock.advance(10);
      chunk(false);
    }
    expect(expired).toEqual([['firstToken', 120]]);
  });

  it('end it when it falls silent, counted from the last chunk', async () => {
    const clock = new ManualClock();
    const { watch, expired, chunk } = watchOn(clock);
    watch.connected();
    await clock.advance(5);
    chunk(true);
    for (let count = 0; count < 4; count += 1) {
      await clock.advance(59);
      chunk(count % 2 === 0);
    }
    expect(expired).toEqual([]);
    await clock.advance(500);
    expect(expired).toEqual([['betweenChunks', 5 + 4 * 59 + 60]]);
  });

  it('end it when it goes on for ever', async () => {
    const clock = new ManualClock();
    const { watch, expired, chunk } = watchOn(clock);
    watch.connected();
    for (let count = 0; count < 100 && expired.length === 0; count += 1) {
      chunk(true);
      await clock.advance(10);
    }
    expect(expired).toEqual([['total', 900]]);
  });

  it('move closer when the stream goes on to a shorter one', async () => {
    const clock = new ManualClock();
    const { watch, expired, chunk } = watchOn(clock, { connect: 500, firstToken: 400, betweenChunks: 7, total: 900 });
    watch.connected();
    chunk(true);
    await clock.advance(100);
    expect(expired).toEqual([['betweenChunks', 7]]);
  });

  it('cost no timer per chunk', async () => {
    const clock = new ManualClock();
    const { watch, chunk } = watchOn(clock);
    watch.connected();
    for (let count = 0; count < 10_000; count += 1) chunk(true);
    expect(clock.timersSet).toBe(1);
    watch.stop();
    expect(clock.pending).toBe(0);
  });

  it('longer than a timer can be set are still kept', async () => {
    const clock = new ManualClock();
    const month = 31 * 24 * 3600 * 1000;
    const { expired } = watchOn(clock, {
      connect: month,
      firstToken: month,
      betweenChunks: month,
      total: Number.POSITIVE_INFINITY,
    });
    await clock.advance(month - 1);
    expect(expired).toEqual([]);
    await clock.advance(1);
    expect(expired).toEqual([['firstToken', month]]);
  });
});

describe('a model that hangs (M4)', () => {
  const hangs: [string, ScriptedReply, DeadlinePhase, number][] = [
    ['before it answers', { hang: true }, 'firstToken', 120],
    ['before its first token', { cutAfter: 1, hang: true }, 'firstToken', 120],
    ['in the middle of its reply', { text: 'half a reply', cutAfter: 4, hang: true }, 'betweenChunks', 60],
  ];
  for (const ignoreAbort of [false, true]) {
    it.each(hangs)(`%s is given up and tried again (ignores aborts: ${ignoreAbort})`, async (_name, reply, phase, after) => {
      const model = scriptedModel([{ ...reply, ignoreAbort }, { text: 'there' }]);
      const { gateway, clock } = gatewayFor(model, { random: () => 0 });
      const call = gateway.call(request({ config: config({ deadlines }) }));
      await clock.advance(after - 1);
      expect(model.requests).toHaveLength(1);
      await clock.advance(1);
      const outcome = await call;
      expect(outcome.kind).toBe('reply');
      expect(outcome.attempts[0]).toMatchObject({ ms: after, error: { code: 'MODEL_TIMEOUT' } });
      expect(outcome.attempts[0]?.error?.message).toContain(phase.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
      expect(model.requests[0]?.abortSignal?.aborted).toBe(true);
      expect(clock.pending).toBe(0);
    });
  }

  it('is not tried again once the time for the whole call is up', async () => {
    const model = scriptedModel(() => ({ hang: true }));
    const { gateway, clock } = gatewayFor(model);
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ deadlines: { ...deadlines, total: 20 } }) })));
    expect(errorOf(outcome).code).toBe('MODEL_TIMEOUT');
    expect(outcome.attempts).toHaveLength(1);
  });

  it('is not waited for when the wait would outlast the call', async () => {
    const model = scriptedModel(() => ({ error: { status: 429, headers: { 'retry-after': '1' } } }));
    const { gateway, clock } = gatewayFor(model);
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ deadlines }) })));
    expect(errorOf(outcome).code).toBe('MODEL_RATE_LIMITED');
    expect(outcome.attempts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('and whose answer comes too late is not listened to', async () => {
    const answer = Promise.withResolvers<unknown>();
    let cancelled = false;
    const late = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doStream: () => answer.promise };
    const { gateway, clock } = gatewayFor(model);
    const once = config({ deadlines, retry: { maxRetries: 0, waitMs: 0, maxWaitMs: 0 } });
    const outcome = await clock.runUntil(gateway.call(request({ config: once })));
    expect(errorOf(outcome).code).toBe('MODEL_TIMEOUT');
    answer.resolve({ stream: late });
    await settle();
    expect(cancelled).toBe(true);
  });

  it('after its proper end has already replied', async () => {
    const parts = [
      { type: 'text-delta', id: 't', delta: 'all' },
      { type: 'finish', finishReason: { unified: 'stop' }, usage: {} },
    ];
    const stream = new ReadableStream({ start: (controller) => parts.forEach((part) => controller.enqueue(part)) });
    const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doStream: () => Promise.resolve({ stream }) };
    const { gateway, clock } = gatewayFor(model);
    const outcome = await clock.runUntil(gateway.call(request({ config: config({ deadlines }) })));
    expect(outcome).toMatchObject({ kind: 'reply', reply: { text: 'all' } });
  });
});
