import { describe, expect, it } from 'vitest';
import { delegate } from '../support/delegate.ts';
import { breathe, type TestEngine, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { eventsOf, verifyRun } from '../support/verify-run.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import type { Commit, Journal, Lease, Run } from '../../src/index.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';

/** Lets a manual clock run until a run and its side calls stand still. */
async function throughTime({ clock }: TestEngine, rounds = 60): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await breathe(1);
    if (clock.timers > 0) await clock.advance(5_000);
  }
}

const config = (name: string, more = ''): { readonly path: string; readonly text: string } => ({
  path: `llm_configs/${name}.yaml`,
  text: `name: ${name}\nconfig: { model: ${name}, max_output_tokens: 1000, price: { input: 100, output: 100 }, max_retries: 9, wait_seconds_on_retry: 1${more} }`,
});

const words = 'some words of an answer that goes on '.repeat(20);
const usedBy = ({ state: { usage } }: Run): number => usage.inputTokens + usage.outputTokens;

/** What every surface says of a run's spending is the same, and nothing stays reserved. */
async function verifySpending(run: Run, journal: Journal, requests?: TestEngine['model']['requests']): Promise<void> {
  await verifyRun(run, journal, requests === undefined ? {} : { requests });
  const { usage, budget } = run.state;
  expect(budget).toMatchObject({ reservedTokens: 0, reservedCost: 0, reserving: 0 });
  expect(budget.tokens).toBe(usage.inputTokens + usage.outputTokens);
  expect(budget.cost).toBeCloseTo(usage.cost, 9);
  const [listed] = await journal.runs();
  expect(listed).toMatchObject({
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    costUnknown: usage.costUnknown,
  });
  expect(listed?.costAtLeast).toBeCloseTo(usage.cost, 9);
  const state = foldEvents(await eventsOf(run, journal));
  expect(state?.usage).toEqual(usage);
}

describe('[F95] titles', () => {
  const titles = { llmConfig: 'namer' };

  it('a retry of a title that does not fit is not begun; what the attempts used is charged', async () => {
    const namer = scriptedModel(() => ({ text: words, cutAfter: 5 }));
    const journal = createMemoryJournal();
    const team = await testEngine({
      profile: `llm_config_ref: m\n${waitsForUser}`,
      files: [config('m'), config('namer')],
      models: { namer },
      replies: [{ text: 'It has none.', usage: { inputTokens: 20, outputTokens: 4 } }],
      titles,
      store: journal,
    });
    const run = await team.launch('Go.', { limits: { tokens: 2_000 } });
    await throughTime(team);
    const ended = (await eventsOf(run, journal)).find(({ type }) => type === 'run.title');
    expect(ended).toMatchObject({ error: { code: 'LIMIT_REACHED' } });
    expect(namer.requests.length).toBeGreaterThan(1);
    expect(namer.requests.length).toBeLessThan(10);
    expect(usedBy(run)).toBeLessThanOrEqual(2_000);
    expect(usedBy(run)).toBeGreaterThan(namer.requests.length * 150);
    await verifySpending(run, journal);
  });

  it('one that does not fit is not begun', async () => {
    const namer = scriptedModel(() => ({ text: 'Tea' }));
    const journal = createMemoryJournal();
    const team = await testEngine({
      profile: waitsForUser,
      files: [config('m'), config('namer')],
      models: { namer },
      replies: [{ text: 'Yes.', usage: { inputTokens: 10, outputTokens: 2 } }],
      titles,
      store: journal,
    });
    const run = await team.launch('Go.', { limits: { tokens: 400 } });
    await throughTime(team);
    expect(namer.requests).toHaveLength(0);
    await verifySpending(run, journal, team.model.requests);
  });

  it('is reserved while it is under way, beside the calls of agents', async () => {
    const namer = scriptedModel(() => ({ text: 'Tea', hang: true, cutAfter: 2 }));
    const journal = createMemoryJournal();
    const team = await testEngine({
      profile: waitsForUser,
      files: [config('m'), config('namer')],
      models: { namer },
      replies: [{ text: 'Yes.' }],
      titles,
      store: journal,
    });
    const run = await team.launch('Go.');
    await breathe(20);
    expect(run.state.budget).toMatchObject({ reserving: 0 });
    expect(run.state.budget.reservedTokens).toBeGreaterThan(1_000);
    await run.cancel('enough');
    await breathe(20);
    expect(run.state.usage.inputTokens).toBeGreaterThan(100);
    expect(run.state.budget).toMatchObject({ reservedTokens: 0, reservedCost: 0, reserving: 0 });
    await verifyRun(run, journal);
  });
});

describe('[F95] calls that end without an outcome are charged', () => {
  const streaming: ScriptedReply = { text: words, cutAfter: 5, hang: true };

  async function begun(
    replies: readonly ScriptedReply[],
    journal: Journal = createMemoryJournal(),
  ): Promise<TestEngine & { readonly run: Run }> {
    const team = await testEngine({ profile: waitsForUser, files: [config('m')], replies, store: journal });
    const run = await team.launch('lorem ipsum '.repeat(200));
    await breathe(20);
    return { ...team, run };
  }

  it('by a person, in mid-stream: the prompt and the words that came, in the result, too', async () => {
    const team = await begun([streaming]);
    const { run } = team;
    const result = run.result;
    await run.cancel('enough');
    const { usage } = await result;
    // The words are still counted while the call stops; its prompt is known.
    expect(usage.inputTokens).toBeGreaterThan(400);
    await breathe(20);
    expect(run.state.usage.outputTokens).toBeGreaterThan(100);
    expect(run.state.usage).toMatchObject({ modelCalls: 1, costUnknown: false });
    expect(run.state.usage.cost).toBeGreaterThan(0.05);
    const [turn] = run.turns();
    expect(turn).toMatchObject({ status: 'cancelled', usage: { outputTokens: run.state.usage.outputTokens } });
    expect(turn?.cost).toBeCloseTo(run.state.usage.cost, 9);
    expect(turn?.attempts).toHaveLength(1);
    await verifySpending(run, team.journal, team.model.requests);
  });

  it('before the first word', async () => {
    const team = await begun([{ hang: true }]);
    await team.run.cancel('enough');
    await breathe(20);
    expect(team.run.state.usage.inputTokens).toBeGreaterThan(400);
    expect(team.run.state.usage.costUnknown).toBe(false);
    await verifySpending(team.run, team.journal, team.model.requests);
  });

  it('never by more than was reserved, where the provider counts fewer tokens than are estimated', async () => {
    const team = await begun([
      { text: 'Yes.', usage: { inputTokens: 220, outputTokens: 2 } },
      { hang: true, ignoreAbort: true },
    ]);
    const { run } = team;
    await run.send('More.');
    await breathe(20);
    await run.cancel('enough');
    const events = await eventsOf(run, team.journal);
    const [started, ended] = (['turn.start', 'turn.end'] as const).map((type) => events.findLast((event) => event.type === type));
    // The config allows replies of 1,000 tokens.
    const prompt = (started?.type === 'turn.start' ? (started.reserve?.tokens ?? 0) : 0) - 1_000;
    expect(prompt).toBeLessThan(300);
    expect(ended).toMatchObject({ estimate: { usage: { inputTokens: prompt } } });
  });

  it('whose complete reply comes late: by the count of the provider', async () => {
    const { promise, resolve } = Promise.withResolvers<ScriptedReply>();
    const journal = createMemoryJournal();
    const team = await testEngine({
      profile: waitsForUser,
      files: [config('m')],
      replies: [async () => ({ ...(await promise), ignoreAbort: true })],
      store: journal,
    });
    const run = await team.launch('Go.');
    await breathe(20);
    const cancelled = run.cancel('enough');
    resolve({ text: 'late', usage: { inputTokens: 321, outputTokens: 45 } });
    await throughTime(team, 10);
    await cancelled;
    expect(run.state.usage.inputTokens).toBeGreaterThan(0);
    await verifySpending(run, journal);
  });

  it('by the close of the engine: charged once, and the call is reserved again', async () => {
    const journal = createMemoryJournal();
    const first = await begun([streaming], journal);
    await first.engine.close();
    const [before] = await journal.runs();
    expect(before?.outputTokens).toBeGreaterThan(100);
    const second = await testEngine({
      profile: waitsForUser,
      files: [config('m')],
      replies: [{ text: 'whole', usage: { inputTokens: 500, outputTokens: 7 } }],
      store: journal,
    });
    const run = await second.engine.resume(first.run.id);
    await run.settled();
    expect(run.state.usage.outputTokens).toBe((before?.outputTokens ?? 0) + 7);
    expect(run.turns()[0]?.attempts).toHaveLength(2);
    await verifySpending(run, journal);
  });

  it('by the loss of the process: its prompt; a call that does not fit any more is not made again', async () => {
    const { journal, copy: copyOf } = copiedJournal();
    const first = await begun([streaming], journal);
    const copy = await copyOf();
    const second = await testEngine({
      profile: waitsForUser,
      files: [config('m')],
      replies: [{ text: 'whole', usage: { inputTokens: 500, outputTokens: 7 } }],
      store: copy,
    });
    const run = await second.engine.resume(first.run.id);
    await run.settled();
    expect(run.state.usage.inputTokens).toBeGreaterThan(500 + 400);
    expect(run.turns()[0]?.attempts).toMatchObject([{ error: { code: 'MODEL_INTERRUPTED' } }, {}]);
    await verifySpending(run, copy);
    await first.engine.close();
  });

  it('of an agent that ends with its caller', async () => {
    const journal = createMemoryJournal();
    const team = await testEngine({
      profile: { Root: allow('delegate'), Worker: 'llm_config_ref: w' },
      files: [config('m'), config('w')],
      models: { w: scriptedModel(() => streaming) },
      tools: [delegate],
      replies: [{ toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }], usage: { inputTokens: 10, outputTokens: 5 } }],
      store: journal,
    });
    const run = await team.launch('Go.');
    await breathe(30);
    await run.cancel('enough');
    await breathe(20);
    const worker = [...run.state.agents.values()].find(({ meta }) => meta.profile === 'Worker');
    expect(worker?.limits.usage.outputTokens).toBeGreaterThan(100);
    expect(usedBy(run)).toBeGreaterThan(115);
    await verifySpending(run, journal);
  });

  it('of a summary', async () => {
    const journal = createMemoryJournal();
    const look = tool('look', () => `found ${'word '.repeat(100)}`, { effect: 'pure' });
    const team = await testEngine({
      profile: `stagnation: off\n${allow('look')}context_policy: { compaction: { at_tokens: 600, keep: 4, llm_config: s } }\n${waitsForUser}`,
      files: [config('m'), config('s')],
      models: { s: scriptedModel(() => streaming) },
      tools: [look],
      replies: Array.from({ length: 9 }, () => ({
        toolCalls: [{ name: 'look', args: {} }],
        usage: { inputTokens: 9, outputTokens: 1 },
      })),
      store: journal,
    });
    const run = await team.launch('Go.');
    await breathe(60);
    expect([...run.state.agents.values()][0]?.context.compacting).toBeDefined();
    const before = run.state.usage.outputTokens;
    await run.cancel('enough');
    await breathe(20);
    expect(run.state.usage.outputTokens).toBeGreaterThan(before + 100);
    expect(run.state.usage.costUnknown).toBe(false);
    await verifySpending(run, journal);
  });
});

it('[F95] prices of cache writes and of reasoning that are above the others are reserved', async () => {
  const dear = {
    path: 'llm_configs/m.yaml',
    text: 'name: m\nconfig: { model: m, max_output_tokens: 1000, price: { input: 10, output: 20, cache_write: 40, reasoning: 100 } }',
  };
  const team = await testEngine({ profile: waitsForUser, files: [dear], replies: [{ hang: true }] });
  const run = await team.launch('Go.');
  await breathe();
  const { prompt, reserve } = [...run.state.turns.values()][0]?.start ?? {};
  expect(reserve?.cost).toBeCloseTo(((prompt?.tokens ?? 0) * 40 + 1_000 * 100) / 1_000_000, 9);
  await run.cancel('enough');
});

/** A memory journal that can be copied as a process that died would leave it. */
function copiedJournal(): { readonly journal: Journal; readonly copy: () => Promise<Journal> } {
  const journal = createMemoryJournal();
  const commits: Commit[] = [];
  const { append } = journal;
  const kept: Journal = Object.assign(journal, {
    append: (lease: Lease, commit: Commit) => {
      commits.push(commit);
      return append.call(journal, lease, commit);
    },
  });
  return {
    journal: kept,
    copy: async () => {
      const copied = createMemoryJournal();
      const written = commits.slice();
      for (const commit of written) {
        const lease = await copied.acquire(commit.runId, '1@host#lost');
        await copied.append(lease, commit);
        await copied.release(lease);
      }
      return copied;
    },
  };
}
