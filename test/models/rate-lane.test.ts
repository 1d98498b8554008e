import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { RateLimit } from '../../src/core/model/llm-config.ts';
import { readRateNotice } from '../../src/models/attempts/rate-headers.ts';
import { RateLane, type LanePass, type LaneRefusal } from '../../src/models/attempts/rate-lane.ts';
import { ManualClock } from './manual-clock.ts';

/** Creates a lane with a log of started and refused requests. */
function laneWith(limit: RateLimit | undefined) {
  const clock = new ManualClock();
  const lane = new RateLane(clock);
  const log: string[] = [];
  const passes = new Map<string, LanePass>();
  let ticket = 0;
  const began = clock.monotonic();
  const at = () => `${Math.round((clock.monotonic() - began) / 1000)}s`;
  const note = (name: string, end: LanePass | LaneRefusal): void => {
    log.push(`${at()} ${name}${end.kind === 'pass' ? '' : ` ${end.kind}`}`);
    if (end.kind === 'pass') passes.set(name, end);
  };
  const enter = (
    name: string,
    options: { tokens?: number; model?: string; signal?: AbortSignal; ticket?: number; within?: number } = {},
  ) => {
    const { tokens = 1, model = 'm', signal = new AbortController().signal, within = 600_000 } = options;
    ticket += 1;
    const entry = { ticket: options.ticket ?? ticket, model, limit, tokens, until: clock.monotonic() + within, signal };
    const end = lane.enter(entry);
    if (end instanceof Promise) void end.then((value) => note(name, value));
    else note(name, end);
  };
  return { clock, lane, log, enter, pass: (name: string) => passes.get(name) as LanePass };
}

describe('a lane', () => {
  it('starts no more requests within a minute than allowed, first come first served', async () => {
    const { clock, enter, log } = laneWith({ requestsPerMinute: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name);
    expect(log).toEqual(['0s a', '0s b']);
    await clock.advance(59_999);
    expect(log).toHaveLength(2);
    await clock.advance(1);
    expect(log).toEqual(['0s a', '0s b', '60s c', '60s d']);
    await clock.advance(60_000);
    expect(log.at(-1)).toBe('120s e');
    expect(clock.pending).toBe(0);
  });

  it('counts tokens as estimated, and as they were once a request is over', async () => {
    const { clock, lane, enter, log, pass } = laneWith({ tokensPerMinute: 100 });
    enter('a', { tokens: 60 });
    enter('b', { tokens: 60 });
    expect(log).toEqual(['0s a']);
    lane.ended(pass('a'), 30);
    await clock.advance(0);
    expect(log).toEqual(['0s a', '0s b']);
    lane.ended(pass('b'), 90);
    enter('c', { tokens: 1 });
    enter('huge', { tokens: 5000 });
    await clock.advance(60_000);
    expect(log).toEqual(['0s a', '0s b', '60s c']);
    await clock.advance(60_000);
    expect(log.at(-1)).toBe('120s huge');
  });

  it('lets a small request not slip past a big one that waits', async () => {
    const { clock, enter, log } = laneWith({ tokensPerMinute: 100 });
    enter('first', { tokens: 50 });
    enter('big', { tokens: 90 });
    enter('small', { tokens: 5 });
    expect(log).toEqual(['0s first']);
    await clock.advance(60_000);
    expect(log).toEqual(['0s first', '60s big', '60s small']);
  });

  it('keeps to the requests under way at once', async () => {
    const { clock, lane, enter, log, pass } = laneWith({ maxParallel: 1 });
    for (const name of ['a', 'b', 'c']) enter(name);
    expect(log).toEqual(['0s a']);
    lane.ended(pass('a'), undefined);
    await clock.advance(0);
    expect(log).toEqual(['0s a', '0s b']);
  });

  it('after a refusal lets one go when the pause is over, then more with each answer: no herd', async () => {
    const { clock, lane, enter, log, pass } = laneWith(undefined);
    enter('refused');
    lane.paused('m', 10_000);
    lane.ended(pass('refused'), undefined);
    for (let index = 1; index <= 8; index += 1) enter(`w${index}`);
    enter('other', { model: 'n' });
    await clock.advance(0);
    expect(log).toEqual(['0s refused', '0s other']);
    await clock.advance(10_000);
    expect(log.slice(2)).toEqual(['10s w1']);
    lane.answered(pass('w1'), undefined);
    await clock.advance(0);
    expect(log.slice(3)).toEqual(['10s w2', '10s w3']);
    lane.answered(pass('w2'), undefined);
    lane.answered(pass('w3'), undefined);
    await clock.advance(0);
    expect(log.slice(5)).toEqual(['10s w4', '10s w5', '10s w6', '10s w7']);
  });

  it('gives a call that comes back its old place', async () => {
    const { clock, lane, enter, log, pass } = laneWith(undefined);
    enter('a');
    lane.paused('m', 5_000);
    lane.ended(pass('a'), undefined);
    enter('b');
    enter('c');
    enter('a again', { ticket: 1 });
    await clock.advance(5_000);
    expect(log).toEqual(['0s a', '5s a again']);
  });

  it('goes by what the provider says is left, and forgets it when that is old', async () => {
    const { clock, lane, enter, log, pass } = laneWith(undefined);
    enter('a');
    lane.answered(pass('a'), { requests: { remaining: 1, resetMs: 20_000 }, tokens: { remaining: 100, resetMs: 4_000 } });
    enter('b', { tokens: 200 });
    enter('c', { tokens: 1 });
    expect(log).toEqual(['0s a']);
    await clock.advance(4_000);
    expect(log).toEqual(['0s a', '4s b']);
    await clock.advance(16_000);
    expect(log).toEqual(['0s a', '4s b', '20s c']);
  });

  it('says at once when a turn would come too late, and at the deadline when that was not known', async () => {
    const { clock, enter, log } = laneWith({ requestsPerMinute: 1, maxParallel: 1 });
    enter('a');
    enter('b', { within: 1_000 });
    expect(log).toEqual(['0s a']);
    await clock.advance(1_000);
    expect(log).toEqual(['0s a', '1s b late']);
    const rated = laneWith({ requestsPerMinute: 1 });
    rated.enter('a');
    rated.enter('b', { within: 30_000 });
    expect(rated.log).toEqual(['0s a', '0s b late']);
    expect(rated.clock.pending).toBe(0);
  });

  it('lets go of who does not want to wait any more, and of its timers', async () => {
    const { clock, enter, log } = laneWith({ requestsPerMinute: 1 });
    const controller = new AbortController();
    enter('a');
    enter('b', { signal: controller.signal });
    enter('c');
    controller.abort();
    await clock.advance(0);
    expect(log).toEqual(['0s a', '0s b aborted']);
    await clock.advance(60_000);
    expect(log.at(-1)).toBe('60s c');
    enter('late', { signal: controller.signal });
    expect(log.at(-1)).toBe('60s late aborted');
    await clock.advance(600_000);
    expect(clock.pending).toBe(0);
  });
});

describe('any traffic', () => {
  const request = fc.record({
    after: fc.nat({ max: 40_000 }),
    tokens: fc.integer({ min: 1, max: 60 }),
    lasts: fc.nat({ max: 20_000 }),
  });
  it('property: no minute has more than allowed, nobody is overtaken, and all get their turn', () => {
    return fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 25 }),
        fc.record({
          rpm: fc.integer({ min: 1, max: 6 }),
          tpm: fc.integer({ min: 60, max: 200 }),
          parallel: fc.integer({ min: 1, max: 4 }),
        }),
        async (requests, { rpm, tpm, parallel }) => {
          const clock = new ManualClock();
          const lane = new RateLane(clock);
          const limit = { requestsPerMinute: rpm, tokensPerMinute: tpm, maxParallel: parallel };
          const starts: { at: number; tokens: number; ticket: number }[] = [];
          let running = 0;
          const all = requests.map(async ({ after, tokens, lasts }, index) => {
            if (after > 0) await new Promise<void>((resolve) => clock.setTimer(after, resolve));
            const entry = {
              ticket: after * 100 + index,
              model: 'm',
              limit,
              tokens,
              until: clock.monotonic() + 1e9,
              signal: new AbortController().signal,
            };
            const pass = await lane.enter(entry);
            if (pass.kind !== 'pass') throw new Error(`no turn: ${pass.kind}`);
            starts.push({ at: clock.monotonic(), tokens, ticket: entry.ticket });
            running += 1;
            expect(running).toBeLessThanOrEqual(parallel);
            await new Promise<void>((resolve) => clock.setTimer(lasts, resolve));
            running -= 1;
            lane.ended(pass, tokens);
          });
          await clock.runUntil(Promise.all(all));
          for (const { at } of starts) {
            const minute = starts.filter((other) => other.at > at - 60_000 && other.at <= at);
            expect(minute.length).toBeLessThanOrEqual(rpm);
            expect(minute.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(tpm);
          }
          expect(starts.map(({ ticket }) => ticket)).toEqual(starts.map(({ ticket }) => ticket).toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('what headers say of limits', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    [{ 'content-type': 'text/event-stream' }, undefined],
    [{ 'x-ratelimit-limit-requests': '60' }, undefined],
    [
      { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '6m0s' },
      { requests: { remaining: 3, resetMs: 60_000 } },
    ],
    [
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1.5s' },
      { requests: { remaining: 0, resetMs: 1_500 } },
    ],
    [{ 'x-ratelimit-remaining-tokens': '150', 'x-ratelimit-reset-tokens': '20ms' }, { tokens: { remaining: 150, resetMs: 20 } }],
    [
      { 'anthropic-ratelimit-requests-remaining': '9', 'anthropic-ratelimit-requests-reset': new Date(now + 7_000).toISOString() },
      { requests: { remaining: 9, resetMs: 7_000 } },
    ],
    [
      { 'anthropic-ratelimit-input-tokens-remaining': '0', 'anthropic-ratelimit-input-tokens-reset': '2020-01-01T00:00:00Z' },
      { tokens: { remaining: 0, resetMs: 0 } },
    ],
    [{ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': String(now + 2_000) }, { requests: { remaining: 1, resetMs: 2_000 } }],
    [{ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': String(now / 1000 + 2) }, { requests: { remaining: 1, resetMs: 2_000 } }],
    [{ 'x-ratelimit-remaining-requests': '-1', 'x-ratelimit-reset-requests': 'soon' }, undefined],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': 'soon' }, undefined],
  ])('%j', (headers, notice) => {
    expect(readRateNotice(headers, now)).toEqual(notice);
  });
});
