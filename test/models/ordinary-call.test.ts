import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ModelDelta, ModelOutcome } from '../../src/core/model/model.ts';
import { parseFinishReason } from '../../src/models/adapter/finish-reason.ts';
import { readCall, unfinishedCall } from '../../src/models/adapter/reply-calls.ts';
import { config, gatewayFor, partsModel, request } from './model-fixtures.ts';

const finish = {
  type: 'finish',
  finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
  usage: { inputTokens: 3, outputTokens: 2 },
};
const ids = fc.constantFrom('a', 'b', 'c');
const names = fc.constantFrom('search', 'read');

const part: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ type: fc.constant('text-delta'), id: ids, delta: fc.constantFrom('x', '', 'yes ') }),
  fc.record({ type: fc.constant('tool-input-start'), id: ids, toolName: names }),
  fc.record({ type: fc.constant('tool-input-delta'), id: ids, delta: fc.constantFrom('{', '}', '') }),
  fc.record({ type: fc.constant('tool-call'), toolCallId: ids, toolName: names, input: fc.constantFrom('{}', '{', '') }),
  fc.constantFrom<unknown>(
    { type: 'stream-start', warnings: [] },
    { type: 'stream-start', warnings: ['old model'] },
    { type: 'response-metadata', modelId: 'served' },
    { type: 'error', error: new Error('boom') },
    { type: 'text-delta', id: 'a' },
    finish,
    { ...finish, finishReason: 'length' },
    { ...finish, finishReason: 'error' },
    null,
  ),
);
const streams = fc
  .tuple(fc.array(part, { maxLength: 6 }), fc.boolean())
  .map(([parts, ends]) => (ends ? [...parts, finish] : parts));

/** Makes a call; `careful` puts it in a lane, among cooldowns, after an attempt of another model that failed. */
async function answer(parts: readonly unknown[], careful: boolean): Promise<{ outcome: ModelOutcome; deltas: ModelDelta[] }> {
  const failing = { ...partsModel('v4', []), doStream: () => Promise.reject(new Error('down')) };
  const retry = { maxRetries: 1, waitMs: 10, maxWaitMs: 10 };
  const { gateway, clock } = gatewayFor(undefined, { models: { main: partsModel('v4', parts), failing } });
  if (careful) {
    await clock.runUntil(gateway.call(request({ config: config({ name: 'failing', retry, rateLimit: { maxParallel: 9 } }) })));
    await clock.advance(1);
  }
  const limits = careful ? { rateLimit: { maxParallel: 9 } } : {};
  const deltas: ModelDelta[] = [];
  const onDelta = (delta: ModelDelta): void => void deltas.push(delta);
  const outcome = await clock.runUntil(gateway.call(request({ config: config({ retry, ...limits }), onDelta })));
  return { outcome: { ...outcome, attempts: outcome.attempts.map((attempt) => ({ ...attempt, startedAt: 0 })) }, deltas };
}

describe('an ordinary call', () => {
  it('has the outcome, attempts and pieces of one in a lane, among cooldowns, whatever its stream holds', async () => {
    await fc.assert(
      fc.asyncProperty(streams, async (parts) => {
        expect(await answer(parts, false)).toEqual(await answer(parts, true));
      }),
      { numRuns: 150 },
    );
  });

  it('pairs announced and complete calls by id, then by count', () => {
    const call = fc.tuple(ids, names);
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), fc.array(call, { maxLength: 4 }), (begun, ended) => {
        const announced = new Map(begun);
        const calls = ended.map(([toolCallId, toolName]) => readCall({ type: 'tool-call', toolCallId, toolName, input: '{}' }));
        const open = [...announced].filter(([id]) => !ended.some(([other]) => other === id));
        const strangers = ended.filter(([id]) => !announced.has(id));
        expect(unfinishedCall(announced, calls)).toBe(open.length > strangers.length ? open[0]?.[1] : undefined);
      }),
    );
  });
});

describe('a finish reason', () => {
  const unified = fc.constantFrom('stop', 'tool-calls', 'length', 'content-filter', 'error', 'other', 'unknown');
  const raw = fc.constantFrom('stop', 'end_turn', 'tool_calls', 'max_tokens', 'safety', 'refusal', 'complete', 'guardrails');

  it('means the same however its provider writes it', () => {
    fc.assert(
      fc.property(unified, raw, (end, word) => {
        const plain = parseFinishReason({ unified: end, raw: word });
        const shouted = parseFinishReason({ unified: end, raw: word.toUpperCase().replaceAll('_', '-') });
        expect(plain.kind).toBe(shouted.kind);
        if (plain.kind === 'proper') expect(plain).toEqual(shouted);
      }),
    );
  });

  it('that names a broken call is one, whatever the package says', () => {
    fc.assert(
      fc.property(unified, fc.constantFrom('MALFORMED_FUNCTION_CALL', 'tool_use_failed', 'too_many_tool_calls'), (end, word) => {
        expect(parseFinishReason({ unified: end, raw: word })).toEqual({ kind: 'broken-call', raw: word });
        expect(parseFinishReason({ unified: end, raw: 'stop' }, word)).toEqual({ kind: 'broken-call', raw: word });
      }),
    );
  });
});
