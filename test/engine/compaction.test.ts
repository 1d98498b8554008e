import { formatWhy } from '../../src/inspect/format/format-why.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CadreEvent, EventOf } from '../../src/core/events/event.ts';
import type { Journal, Run } from '../../src/index.ts';
import type { ScriptedRepliesModel, ScriptedReplyFunction } from '../../src/models/scripted/scripted-replies.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { assertPairing, createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { breathe, gate, testEngine, waitsForUser, type TestEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const look = tool('look', (args) => `found ${'word '.repeat(Number(args['words'] ?? 3))}`, { effect: 'pure' });
const calls = (words: number): ScriptedReply => ({ toolCalls: [{ name: 'look', args: { words } }] });
const say = (text: string): ScriptedReply => ({ text });
const summary = say('The user wants tea. Looked three times, found words.');

interface Compacting extends TestEngine {
  readonly summariser: ScriptedRepliesModel;
}

/** An agent that looks things up and is compacted by `s` at 600 tokens, unless its policy says otherwise. */
async function compacting(options: {
  readonly replies: readonly ScriptedReply[];
  readonly summaries: readonly (ScriptedReply | ScriptedReplyFunction)[] | ScriptedReplyFunction;
  readonly policy?: string;
  readonly store?: Journal;
  readonly rest?: string;
}): Promise<Compacting> {
  const { replies, summaries, store = createMemoryJournal(), rest = waitsForUser } = options;
  const { policy = 'compaction: { at_tokens: 600, keep: 4, llm_config: s }' } = options;
  const summariser = scriptedModel(summaries);
  const made = await testEngine({
    profile: `stagnation: off\n${allow('look')}context_policy: { ${policy} }\n${rest}`,
    tools: [look],
    replies,
    models: { s: summariser },
    store,
  });
  return { ...made, summariser };
}

const of = <Type extends CadreEvent['type']>(events: readonly CadreEvent[], type: Type): readonly EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);

const longChain = [...Array.from({ length: 8 }, () => calls(100)), say('Done.')];

async function settledEvents(made: Compacting, input = 'Find the tea.'): Promise<{ run: Run; events: readonly CadreEvent[] }> {
  const run = await made.launch(input);
  await run.settled();
  const events = await verifyRun(run, made.journal, { requests: made.model.requests });
  if (made.summariser.requests.length > 0) assertPairing(made.summariser.requests);
  return { run, events };
}

describe('compaction', () => {
  it('[B.51] replaces old messages by a summary when the estimate passes the threshold; the messages stay on record', async () => {
    const made = await compacting({ replies: longChain, summaries: () => summary });
    const { run, events } = await settledEvents(made);
    const ends = of(events, 'compaction.end');
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.every(({ error }) => error === undefined)).toBe(true);
    expect(run.turns().at(-1)?.reply.text).toBe('Done.');
    for (const turn of run.state.turns.values()) expect(turn.start.prompt?.tokens).toBeLessThan(900);
    const last = JSON.stringify(made.model.requests.at(-1)?.prompt);
    expect(last).toContain('The user wants tea.');
    expect(last).not.toContain('Find the tea.');
    const agent = [...run.state.agents.values()][0];
    expect(agent?.history.messages[0]).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('Find the tea.') }],
    });
    expect(agent?.history.messages).toHaveLength(18);
  });

  it('asks the summariser with the words of the profile, the earlier summary, and what is to be replaced', async () => {
    const policy = 'compaction: { at_tokens: 600, keep: 4, llm_config: s, instructions: Keep every figure. }';
    const made = await compacting({ replies: longChain, summaries: () => summary, policy });
    await settledEvents(made);
    const [first, second] = made.summariser.requests;
    expect(first?.prompt[0]).toMatchObject({ role: 'system', content: 'Keep every figure.' });
    expect(JSON.stringify(first?.prompt[1])).toContain('User: Find the tea.');
    expect(JSON.stringify(first?.prompt[1])).toContain('Agent calls look: {');
    expect(JSON.stringify(second?.prompt[1])).toContain('The user wants tea.');
    expect(first?.tools ?? []).toEqual([]);
  });

  it('counts its usage and cost for the agent and the run', async () => {
    const priced = 'name: s2\ntype: llm_config\nconfig: { model: s, price: { input: 1, output: 1 } }\n';
    const made = await testEngine({
      profile: `${allow('look')}context_policy: { compaction: { at_tokens: 600, keep: 4, llm_config: s2 } }\n${waitsForUser}`,
      files: [{ path: 'llm_configs/s2.yaml', text: priced }],
      tools: [look],
      replies: longChain.map((reply) => ({ ...reply, usage: { inputTokens: 0, outputTokens: 0 } })),
      models: { s: scriptedModel(() => ({ ...summary, usage: { inputTokens: 900, outputTokens: 100 } })) },
    });
    const run = await made.launch();
    await run.settled();
    const ends = of(await made.journal.read(run.id), 'compaction.end');
    expect(run.state.usage.inputTokens).toBe(900 * ends.length);
    expect(run.state.usage.cost).toBeCloseTo(0.001 * ends.length);
    expect([...run.state.agents.values()][0]?.limits.usage.outputTokens).toBe(100 * ends.length);
  });

  it('[A5.event-summary] why: a line of a summary names the summary, who wrote it, and the messages and turns it stands for', async () => {
    const made = await compacting({ replies: longChain, summaries: [summary, summary, summary, summary, summary] });
    const { run, events } = await settledEvents(made);
    const [first] = of(events, 'compaction.end');
    const turn = run.turns().find(({ prompt }) => prompt.text.includes('The user wants tea.'));
    const [answer] = run.why(turn?.turnId ?? '', 'Looked three times');
    expect(answer?.pieces[0]).toMatchObject({
      role: 'user',
      origin: {
        kind: 'summary',
        compactionId: 'Root_1.k1',
        llmConfig: 's',
        from: 0,
        to: first?.to,
        turnIds: ['Root_1.t1', expect.any(String)],
      },
    });
    expect(answer?.causes.map(({ type }) => type).slice(0, 2)).toEqual(['compaction.end', 'compaction.start']);
    const shown = formatWhy(answer === undefined ? [] : [answer]);
    expect(shown.match(/messages \d+ to \d+/g)).toEqual(Array(3).fill(`messages 0 to ${(first?.to ?? 0) - 1}`));
    expect(shown).not.toContain('summary before them');
    const last = run.turns().at(-1);
    const again = formatWhy(run.why(last?.turnId ?? '', 'Looked three times').slice(0, 1));
    expect(again).toMatch(/replaces messages \d+ to \d+ .* and of the summary before them/);
    expect(again).toMatch(/of Root_1, with the summary before them, go to a summariser/);
  });

  for (const [what, bad] of Object.entries({
    'an error': { error: { status: 400, message: 'no' } },
    'an empty summary': say('   '),
    'a summary that is cut off': { text: 'The user', finishReason: 'length' },
    'a summary that is no shorter': say('word '.repeat(2_000)),
  } satisfies Record<string, ScriptedReply>)) {
    it(`${what} is on record, and the messages are left out without one`, async () => {
      const made = await compacting({ replies: longChain, summaries: () => bad });
      const { run, events } = await settledEvents(made);
      const ends = of(events, 'compaction.end');
      expect(ends.length).toBeGreaterThan(0);
      expect(ends.length).toBeLessThan(6);
      for (const { error } of ends) expect(error?.code).toMatch(/^(COMPACTION_FAILED|MODEL_)/);
      expect(of(events, 'context.trim')[0]).toMatchObject({ reason: 'compaction_failed', to: ends[0]?.to });
      expect(JSON.stringify(made.model.requests.at(-1)?.prompt)).toContain('Find the tea.');
      expect(run.turns().at(-1)?.reply.text).toBe('Done.');
    });
  }

  it('on_failure: stop ends the agent with the outcome limit, and what it had said', async () => {
    const policy = 'compaction: { at_tokens: 600, keep: 4, llm_config: s, on_failure: stop }';
    const said = longChain.map((reply, index) => ({ ...reply, text: `Words ${index}.` }));
    const made = await compacting({ replies: said, summaries: () => say(''), policy });
    const run = await made.launch();
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed', outcome: 'limit', error: { code: 'LIMIT_REACHED' } });
    expect(result.output).toMatch(/^Words \d/);
    await verifyRun(run, made.journal, { requests: made.model.requests });
  });

  it('does not loop when nothing it could replace would make the prompt small enough', async () => {
    const policy = 'compaction: { at_tokens: 40, keep: 2, llm_config: s }';
    const made = await compacting({ replies: longChain, summaries: () => summary, policy });
    const { events } = await settledEvents(made);
    expect(of(events, 'compaction.start').length).toBeLessThanOrEqual(made.model.requests.length);
  });

  it('I6: what arrives meanwhile is read by the turn after it', async () => {
    const held = gate<ScriptedReply>();
    const made = await compacting({
      replies: longChain,
      summaries: [() => held.promise, ...Array.from({ length: 5 }, () => summary)],
    });
    const run = await made.launch('Find the tea.');
    await breathe(40);
    expect([...run.state.agents.values()][0]?.context.compacting).toBeDefined();
    expect(run.state.status).toBe('running');
    await run.send('Green tea, please.');
    const asked = made.model.requests.length;
    await breathe(5);
    expect(made.model.requests.length).toBe(asked);
    held.open(summary);
    await run.settled();
    expect(JSON.stringify(made.model.requests[asked]?.prompt)).toContain('Green tea, please.');
    await verifyRun(run, made.journal, { requests: made.model.requests });
  });

  it('I9: cancel stops it', async () => {
    const made = await compacting({ replies: longChain, summaries: [{ hang: true }] });
    const run = await made.launch('Find the tea.');
    await breathe(40);
    expect([...run.state.agents.values()][0]?.context.compacting).toBeDefined();
    await run.cancel('enough');
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    const events = await verifyRun(run, made.journal, { requests: made.model.requests });
    expect(of(events, 'compaction.end')).toMatchObject([{ error: { code: 'MODEL_ABORTED' } }]);
  });

  it('a deadline drops it, and the last turn goes by what was in view', async () => {
    const rest = `limits: { max_wall_seconds: 20 }\n${waitsForUser}`;
    const made = await compacting({ replies: longChain, summaries: [{ hang: true }], rest });
    const run = await made.launch('Find the tea.');
    await breathe(40);
    expect([...run.state.agents.values()][0]?.context.compacting).toBeDefined();
    await made.clock.advance(20_000);
    expect(await run.result).toMatchObject({ outcome: 'limit' });
    const events = await verifyRun(run, made.journal, { requests: made.model.requests });
    expect(of(events, 'compaction.end')).toMatchObject([{ error: { code: 'MODEL_ABORTED' } }]);
    expect(made.model.requests.at(-1)?.toolChoice).toEqual({ type: 'none' });
  });

  it('sets aside what it may use, and is not begun when the budget does not allow it', async () => {
    const roomy = await compacting({ replies: longChain, summaries: () => summary });
    const { run, events } = await settledEvents(roomy);
    expect(of(events, 'compaction.start').every(({ reserve }) => (reserve?.tokens ?? 0) > 300)).toBe(true);
    expect(run.state.budget).toMatchObject({ reservedTokens: 0, reserving: 0 });

    const tight = await compacting({
      replies: longChain,
      summaries: () => summary,
      rest: `limits: { max_tokens: 2500 }\n${waitsForUser}`,
    });
    const ended = await tight.launch('Find the tea.');
    expect(await ended.result).toMatchObject({ outcome: 'limit' });
    await verifyRun(ended, tight.journal, { requests: tight.model.requests });
  });

  it('I1, I10: whatever was said, prompts are legal and their spans are what was sent', async () => {
    const step = fc.oneof(
      fc.integer({ min: 0, max: 300 }).map(calls),
      fc.integer({ min: 1, max: 200 }).map((words) => say('word '.repeat(words).trim())),
    );
    const summaries = fc.array(
      fc.constantFrom<ScriptedReply>(summary, say(''), { error: { status: 400, message: 'no' } }, say('word '.repeat(900))),
      { minLength: 1, maxLength: 4 },
    );
    const policy = fc.record(
      {
        at_tokens: fc.integer({ min: 50, max: 1_500 }),
        keep: fc.integer({ min: 0, max: 8 }),
        keep_tokens: fc.integer({ min: 0, max: 800 }),
        window: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      },
      { requiredKeys: ['at_tokens'] },
    );
    await fc.assert(
      fc.asyncProperty(policy, summaries, fc.array(step, { minLength: 1, maxLength: 20 }), async (bounds, said, steps) => {
        const { window = 0, ...compaction } = bounds;
        const made = await compacting({
          replies: [...steps, say('Done.')],
          summaries: (_request, index) => said[index % said.length] ?? summary,
          policy: `window: ${window}, compaction: ${JSON.stringify({ ...compaction, llm_config: 's' })}`,
        });
        const run = await made.launch('Begin.');
        await run.settled();
        while (made.model.requests.length < steps.length + 1) {
          await run.send('Go on.');
          await run.settled();
        }
        await verifyRun(run, made.journal, { requests: made.model.requests });
        await made.engine.close();
      }),
      { numRuns: 60 },
    );
  });
});

describe('a prompt that is refused as too long (M3)', () => {
  const tooLong = { error: { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' } };

  it('is compacted at once, and the turn is made again', async () => {
    const policy = 'compaction: { at_tokens: 100000, keep: 4, llm_config: s }';
    const made = await compacting({ replies: [calls(50), calls(50), tooLong, say('Done.')], summaries: [summary], policy });
    const { run, events } = await settledEvents(made);
    expect(of(events, 'compaction.start')).toMatchObject([{ reason: 'refused', from: 0 }]);
    expect(run.turns().map(({ status }) => status)).toEqual(['completed', 'completed', 'error', 'completed']);
    expect(run.turns().at(-1)?.prompt.text).toContain('The user wants tea.');
  });
});

describe('a crash in the middle of a compaction', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cadre-compaction-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('I4: the summary is asked for again, from the same input, and the run goes on', async () => {
    const store = (): Journal => createSqliteJournal(path.join(folder, 'journal.db'));
    const first = await compacting({ replies: longChain, summaries: [{ hang: true }], store: store() });
    const run = await first.launch('Find the tea.');
    await breathe(60);
    const prefix = await first.journal.read(run.id);
    expect(prefix.at(-1)?.type).toBe('compaction.start');
    await first.engine.close();
    await expect(run.result).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });

    const left = longChain.slice(first.model.requests.length);
    const next = await compacting({ replies: left, summaries: () => summary, store: store() });
    const resumed = await next.engine.resume(run.id);
    await resumed.settled();
    const events = await verifyRun(resumed, next.journal, { requests: [...first.model.requests, ...next.model.requests] });
    expect(events.slice(0, prefix.length)).toEqual(prefix);
    expect(next.summariser.requests[0]?.prompt).toEqual(first.summariser.requests[0]?.prompt);
    expect(resumed.turns().at(-1)?.reply.text).toBe('Done.');
    await next.engine.close();
  });
});

describe("[A1.13.context-budget] [B.45] a model's context size", () => {
  const small = (window: number) => ({
    path: 'llm_configs/small.yaml',
    text: `name: small\ntype: llm_config\nconfig: { model: m, context_window: ${window} }\n`,
  });

  it('the agent is told once when it is nearly full, and gets a last turn when it is full: the outcome is limit', async () => {
    const journal = createMemoryJournal();
    const { launch, model } = await testEngine({
      profile: `stagnation: off\nllm_config_ref: small\n${allow('look')}${waitsForUser}`,
      files: [small(1_600)],
      tools: [look],
      replies: [...Array.from({ length: 20 }, (_, index) => ({ ...calls(100), text: `Step ${index}.` }))],
      store: journal,
    });
    const run = await launch('Find the tea.');
    const result = await run.result;
    expect(result).toMatchObject({
      status: 'failed',
      outcome: 'limit',
      error: { code: 'LIMIT_REACHED', message: expect.stringContaining('context') },
    });
    expect(result.output).toMatch(/^Step \d+\.$/);
    await verifyRun(run, journal, { requests: model.requests });
    const told = model.requests.filter(({ prompt }) => JSON.stringify(prompt).includes('tokens of context. Finish'));
    expect(told).toHaveLength(1);
    expect(JSON.stringify(model.requests.at(-1)?.prompt)).toContain('This is your last turn');
    for (const turn of run.state.turns.values()) expect(turn.start.prompt?.tokens).toBeLessThanOrEqual(1_600);
  });

  it('a prompt that fills it at once is one last turn, too, and a refusal of that is no error', async () => {
    const { launch, model } = await testEngine({
      profile: `llm_config_ref: small\n${waitsForUser}`,
      files: [small(400)],
      replies: [{ error: { status: 400, message: 'prompt is too long: 500 tokens > 400 maximum' } }],
    });
    const run = await launch('word '.repeat(500));
    expect(await run.result).toMatchObject({ outcome: 'limit' });
    expect(model.requests).toHaveLength(1);
  });

  it('compaction at a share of it keeps the agent going', async () => {
    const journal = createMemoryJournal();
    const { launch, model } = await testEngine({
      profile: `stagnation: off\nllm_config_ref: small\n${allow('look')}context_policy: { warn_at: 0.9, compaction: { at: 0.6, keep: 4, llm_config: s } }\n${waitsForUser}`,
      files: [small(1_600)],
      tools: [look],
      replies: [...Array.from({ length: 20 }, () => calls(100)), say('Done.')],
      models: { s: scriptedModel(() => summary) },
      store: journal,
    });
    const run = await launch('Find the tea.');
    await run.settled();
    await verifyRun(run, journal, { requests: model.requests });
    expect(run.turns().at(-1)?.reply.text).toBe('Done.');
    expect(model.requests).toHaveLength(21);
  });
});
