import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CadreEvent, EventOf } from '../../src/core/events/event.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { truncate } from '../../src/nodes/inbox/truncate-input.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const look = tool('look', (args) => `found ${'word '.repeat(Number(args['words'] ?? 3))}`, { effect: 'pure' });

/** An agent that may look things up, with this context policy. */
async function lookingAgent(policy: string, replies: readonly ScriptedReply[]) {
  const journal = createMemoryJournal();
  const made = await testEngine({
    profile: `stagnation: off\n${allow('look')}context_policy: ${policy}\n${waitsForUser}`,
    tools: [look],
    replies,
    store: journal,
  });
  return { ...made, journal };
}

const calls = (words: number, many = 1): ScriptedReply => ({
  toolCalls: Array.from({ length: many }, () => ({ name: 'look', args: { words } })),
});
const say = (text: string): ScriptedReply => ({ text });

const trims = (events: readonly CadreEvent[]): readonly EventOf<'context.trim'>[] =>
  events.filter((event) => event.type === 'context.trim');

describe('[A2.1.memory] [A4.2.chat] [B.48] the window of a context policy', () => {
  it('holds in a long chain of tool calls too, behind a note that says what was asked', async () => {
    const replies = [...Array.from({ length: 20 }, () => calls(3)), say('Done.')];
    const { launch, model, journal } = await lookingAgent('{ window: 8 }', replies);
    const run = await launch('Find the tea.');
    await run.settled();
    const events = await verifyRun(run, journal, { requests: model.requests });
    for (const { prompt } of model.requests) expect(prompt.filter(({ role }) => role !== 'system').length).toBeLessThanOrEqual(9);
    const last = JSON.stringify(model.requests.at(-1)?.prompt);
    expect(last).toContain('Earlier messages of this conversation are left out');
    expect(last).toContain('Find the tea.');
    // The edge moves in steps, so that the beginning of prompts stays the same in between.
    expect(trims(events).length).toBeGreaterThan(4);
    expect(trims(events).length).toBeLessThan(20);
    const [answer] = run.why(run.turns().at(-1)?.turnId ?? '', 'Find the tea.');
    expect(answer?.pieces[0]?.origin).toMatchObject({ kind: 'left_out', turnIds: ['Root_1.t1', expect.any(String)] });
  });

  it('max_tokens bounds the estimate of every prompt that can be bounded', async () => {
    const replies = [...Array.from({ length: 12 }, () => calls(200)), say('Done.')];
    const { launch, model, journal } = await lookingAgent('{ max_tokens: 1200 }', replies);
    const run = await launch('Find the tea.');
    await run.settled();
    const events = await verifyRun(run, journal, { requests: model.requests });
    expect(trims(events).every(({ reason }) => reason === 'max_tokens')).toBe(true);
    for (const turn of run.state.turns.values()) expect(turn.start.prompt?.tokens).toBeLessThanOrEqual(1_200);
  });

  it('I1, I10: whatever was said and whatever the bounds, prompts are legal and their spans are what was sent', async () => {
    const step = fc.oneof(
      fc
        .record({ words: fc.integer({ min: 0, max: 300 }), many: fc.integer({ min: 1, max: 3 }) })
        .map(({ words, many }) => calls(words, many)),
      fc.integer({ min: 1, max: 200 }).map((words) => say('word '.repeat(words).trim())),
    );
    const policy = fc.record(
      {
        window: fc.integer({ min: 1, max: 14 }),
        max_tokens: fc.integer({ min: 100, max: 2_000 }),
        truncate: fc.integer({ min: 1, max: 400 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(policy, fc.array(step, { minLength: 1, maxLength: 24 }), async (bounds, steps) => {
        const { launch, model, journal, engine } = await lookingAgent(JSON.stringify(bounds), [...steps, say('Done.')]);
        const run = await launch('Begin.');
        await run.settled();
        while (model.requests.length < steps.length + 1) {
          await run.send(`Go on ${'please '.repeat(model.requests.length % 40)}`);
          await run.settled();
        }
        await verifyRun(run, journal, { requests: model.requests });
        await engine.close();
      }),
      { numRuns: 60 },
    );
  });

  it('M3: a refused prompt loses its older half, and the turn is made again once', async () => {
    const tooLong = { error: { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' } };
    const { launch, model, journal } = await lookingAgent('{}', [calls(50), calls(50), tooLong, say('Done.')]);
    const run = await launch('Find the tea.');
    await run.settled();
    const events = await verifyRun(run, journal, { requests: model.requests });
    expect(trims(events)).toMatchObject([{ reason: 'refused' }]);
    expect(run.turns().map(({ status }) => status)).toEqual(['completed', 'completed', 'error', 'completed']);
    expect(run.turns().at(-1)?.reply.text).toBe('Done.');
    expect(model.requests.at(-1)?.prompt.length).toBeLessThan(model.requests[2]?.prompt.length ?? 0);
  });

  it('M3: a prompt that is refused again ends the agent with the clear error, not a loop', async () => {
    const tooLong = { error: { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' } };
    const { launch, model } = await lookingAgent('{}', [calls(50), calls(50), tooLong, tooLong, say('Never.')]);
    const run = await launch('Find the tea.');
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'error', error: { code: 'MODEL_CONTEXT_TOO_LONG' } });
    expect(model.requests).toHaveLength(4);
  });

  it('M3: what the refused turn read for this once is read again', async () => {
    const tooLong = { error: { status: 413, message: 'request too large' } };
    const { launch, model, journal } = await lookingAgent('{}', [calls(50), calls(50), say('Yes?'), tooLong, say('Done.')]);
    const run = await launch('Find the tea.');
    await run.settled();
    await run.send({ source: 'WORK_MODULES_STATUS_UPDATE', payload: { WM_1: { name: 'Tea' } } });
    await run.settled();
    await verifyRun(run, journal, { requests: model.requests });
    expect(JSON.stringify(model.requests[4]?.prompt)).toContain('Tea');
  });
});

describe('truncation per kind', () => {
  const long = `${'a'.repeat(600)}MIDDLE${'z'.repeat(600)}`;

  it('[A4.4.context-config] [B.50] cuts results, messages and replies to their own length, with a marker; the whole stays on record', async () => {
    const journal = createMemoryJournal();
    const { launch, model } = await testEngine({
      profile: `${allow('read')}context_policy: { truncate: { tool_result: 400, user: 300, assistant: 200 } }\n${waitsForUser}`,
      tools: [tool('read', () => long, { effect: 'pure' })],
      replies: [{ text: long, toolCalls: [{ name: 'read', args: {} }] }, say('Done.')],
      store: journal,
    });
    const run = await launch(long);
    await run.settled();
    await verifyRun(run, journal, { requests: model.requests });
    const [user, assistant, result] = model.requests[1]?.prompt.filter(({ role }) => role !== 'system') ?? [];
    for (const [message, most] of [
      [user, 300],
      [assistant, 200],
      [result, 400],
    ] as const) {
      const text = JSON.stringify(message?.content);
      expect(text).not.toContain('MIDDLE');
      expect(text).toContain('left out here');
      expect(text.length).toBeLessThan(most + 250);
    }
    expect(JSON.stringify(result)).toContain('call the tool again for a smaller part');
    const [first, second] = run.turns();
    expect(JSON.stringify(first?.inputs[0]?.payload)).toContain('MIDDLE');
    expect(first?.reply.text).toBe(long);
    expect(JSON.stringify(second?.inputs[0]?.payload)).toContain('MIDDLE');
  });

  it('never gives more than it got, and never half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (text, most) => {
        const cut = truncate(text, 'tool_result', { window: 0, truncate: { tool_result: most }, raw: {} });
        expect(cut.length).toBeLessThanOrEqual(text.length);
        if (text.isWellFormed()) expect((cut as string).isWellFormed()).toBe(true);
      }),
    );
  });
});
