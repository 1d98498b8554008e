import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CadreEvent, EventOf } from '../../src/core/events/event.ts';
import { contentTokens } from '../../src/core/prompt/token-estimate.ts';
import { delegate } from '../support/delegate.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const again = { toolCalls: [{ name: 't', args: {} }] };
const words = tool('t', () => 'a result of a few words');

describe('budgets are reserved before a model call', () => {
  it('tokens: told once that the limit is near, one last turn without tools, never more than the limit', async () => {
    const team = await testEngine({
      profile: `stagnation: off\nlimits: { max_tokens: 6000 }\n${allow('t')}`,
      tools: [words],
      replies: () => ({ ...again, usage: { inputTokens: 500, outputTokens: 300 } }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'limit', error: { code: 'LIMIT_REACHED' } });
    expect(run.state.budget.tokens).toBeLessThanOrEqual(6000);
    expect(run.turns().at(-1)?.limit?.stage).toBe(2);
    expect(team.model.requests.at(-1)?.toolChoice).toEqual({ type: 'none' });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(told(events)).toEqual(['1 agent tokens', '2 agent tokens']);
    expect(run.state.budget).toMatchObject({ reservedTokens: 0, reserving: 0 });
  });

  it('of the run: its root is told once, not once more for itself', async () => {
    const team = await testEngine({
      profile: allow('t'),
      tools: [words],
      replies: () => ({ ...again, usage: { inputTokens: 500, outputTokens: 300 } }),
    });
    const run = await team.launch('Go.', { limits: { tokens: 6000 } });
    expect(await run.result).toMatchObject({ outcome: 'limit' });
    expect(told(await verifyRun(run, team.journal))).toEqual(['1 run tokens', '2 run tokens']);
  });

  it('a reply is bound to what is left', async () => {
    const team = await testEngine({ profile: 'limits: { max_tokens: 1000 }', replies: [{ text: 'short' }] });
    const run = await team.launch();
    await run.result;
    const [turn] = run.state.turns.values();
    const reserve = turn?.start.reserve;
    expect(reserve?.output).toBeLessThan(1000);
    expect(team.model.requests[0]?.maxOutputTokens).toBe(reserve?.output);
  });

  it('a usual turn has exactly what two prompts and a last word leave of each budget, wherever plenty ends', async () => {
    const priced = 'name: priced\nconfig: { model: m, max_output_tokens: 200, price: { input: 2, output: 10 } }';
    const files = [{ path: 'llm_configs/priced.yaml', text: priced }];
    const replies = [{ text: 'short' }];
    const first = async (limits: string): Promise<EventOf<'turn.start'> | undefined> => {
      const team = await testEngine({
        profile: `llm_config_ref: priced\ninstructions: ${'Work well. '.repeat(200)}\nlimits: ${limits}`,
        files,
        replies,
      });
      const run = await team.launch();
      await run.result;
      return [...run.state.turns.values()][0]?.start;
    };
    const prompt = (await first('{}'))?.prompt?.tokens ?? 0;
    // More than a first prompt is taken to be before it is built.
    expect(prompt).toBeGreaterThan(300);
    for (let room = 195; room < 206; room++) {
      const tokens = 2 * prompt + 64 + 2 * room;
      const cost = (2 * prompt * 2 + 64 * 10 + room * 12 + 6) / 1_000_000;
      for (const limits of [`{ max_tokens: ${tokens} }`, `{ max_cost_usd: ${cost} }`]) {
        const reserve = (await first(limits))?.reserve;
        expect(reserve?.output, limits).toBe(room < 200 ? room : undefined);
        expect(reserve?.tokens, limits).toBe(prompt + Math.min(room, 200));
      }
    }
  });

  it('a prompt that does not fit at all is not sent: the agent ends at once and says why', async () => {
    const team = await testEngine({ profile: 'limits: { max_tokens: 100 }', replies: [{ text: 'never' }] });
    const run = await team.launch('x'.repeat(5_000));
    expect(await run.result).toMatchObject({ outcome: 'limit', output: '' });
    expect((await run.result).error?.message).toMatch(
      /0 of 100 tokens.*nothing is left for a last turn, whose prompt alone has about [1-9]\d{3} tokens/,
    );
    expect(team.model.requests).toHaveLength(0);
    await verifyRun(run, team.journal);
  });

  it('[B.44] cost: by the price of the config; a call whose price is not known is said so once, and is not free', async () => {
    const priced = `name: priced\nconfig: { model: m, max_output_tokens: 100, price: { input: 1000, output: 1000 } }`;
    const team = await testEngine({
      profile: `llm_config_ref: priced\nlimits: { max_cost_usd: 2.5 }\n${allow('t')}`,
      files: [{ path: 'llm_configs/priced.yaml', text: priced }],
      tools: [words],
      replies: () => ({ ...again, usage: { inputTokens: 300, outputTokens: 50 } }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'limit' });
    expect(run.state.usage.cost).toBeLessThanOrEqual(2.5);
    expect(run.state.usage.costUnknown).toBe(false);
    expect(run.turns().length).toBeGreaterThan(2);

    const unpriced = await testEngine({
      profile: `limits: { max_cost_usd: 0.01, max_turns: 3 }\n${allow('t')}`,
      tools: [words],
      replies: () => ({ ...again, usage: { inputTokens: 300, outputTokens: 50 } }),
    });
    const free = await unpriced.launch();
    await free.result;
    expect(free.state.usage.costUnknown).toBe(true);
    const notes = (await unpriced.journal.read(free.id)).filter((event) => event.type === 'note.add');
    expect(notes).toMatchObject([{ code: 'COST_UNKNOWN', message: expect.stringContaining('Give the LLM config a price.') }]);
    expect(free.turns()).toHaveLength(4);
  });

  it('a call whose price is known and whose usage is not says which of the two is missing', async () => {
    const team = await testEngine({
      profile: 'llm_config_ref: priced\nlimits: { max_cost_usd: 2.5 }',
      files: [
        {
          path: 'llm_configs/priced.yaml',
          text: 'name: priced\nconfig: { model: m, max_output_tokens: 100, price: { input: 2, output: 10 } }',
        },
      ],
      replies: [{ text: 'said', usage: {} }],
    });
    const run = await team.launch();
    await run.result;
    const notes = (await team.journal.read(run.id)).filter((event) => event.type === 'note.add');
    expect(notes).toMatchObject([{ code: 'COST_UNKNOWN', message: expect.stringContaining('did not say what a call used') }]);
  });

  it('M16: usage nobody reports is estimated', async () => {
    const team = await testEngine({
      profile: `stagnation: off\nlimits: { max_tokens: 4000 }\n${allow('t')}`,
      tools: [words],
      replies: () => ({ ...again, text: 'some words '.repeat(50), usage: {} }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'limit' });
    expect(run.state.budget.tokens).toBeGreaterThan(500);
    expect(run.turns().length).toBeLessThan(20);
  });

  it('a call that is interrupted before its first word counts its prompt, and so does one whose agent is cancelled', async () => {
    const price = {
      path: 'llm_configs/priced.yaml',
      text: 'name: priced\nconfig: { model: m/x, max_output_tokens: 100, price: { input: 1, output: 10 } }\n',
    };
    const team = await testEngine({
      profile: 'llm_config_ref: priced',
      files: [price],
      models: {
        priced: scriptedModel([
          { text: 'never', hang: true },
          { text: 'never', hang: true },
        ]),
      },
    });
    const run = await team.launch('x'.repeat(4_000));
    await breathe();
    expect(run.state.budget).toMatchObject({ tokens: 0, reserving: 1 });
    await run.send('Stop that.', { priority: 'now' });
    await breathe();
    const [first, second] = [...run.state.turns.values()];
    const prompt = first?.start.prompt?.tokens ?? 0;
    expect(prompt).toBeGreaterThan(900);
    expect(first?.modelEnd?.error?.code).toBe('MODEL_INTERRUPTED');
    expect(run.state.budget).toMatchObject({ tokens: prompt, cost: prompt / 1_000_000 });
    expect(run.state.usage).toMatchObject({ inputTokens: prompt, costUnknown: false });
    await run.cancel();
    expect(run.state.budget).toMatchObject({
      tokens: prompt + (second?.start.prompt?.tokens ?? 0),
      reserving: 0,
      reservedTokens: 0,
    });
    expect(run.state.agents.get(run.state.rootAgentId ?? ('' as never))?.counters.tokensUsed).toBe(run.state.budget.tokens);
    await verifyRun(run, team.journal);
  });

  it('one child cannot use up what its siblings need', async () => {
    const team = await testEngine({
      profile: { Root: `limits: { max_tokens: 30000 }\n${allow('delegate')}`, Worker: '' },
      tools: [delegate],
      replies: (_request, index) =>
        index === 0
          ? {
              toolCalls: Array.from({ length: 4 }, () => ({ name: 'delegate', args: { to: 'Worker' } })),
              usage: { inputTokens: 100, outputTokens: 50 },
            }
          : { text: 'done', usage: { inputTokens: 100, outputTokens: 50 } },
    });
    const run = await team.launch();
    expect((await run.result).outcome).toBe('success');
    const firsts = [...run.state.turns.values()]
      .filter(({ agentId }) => agentId !== 'Root_1')
      .map(({ start }) => start.reserve?.tokens ?? 0);
    expect(firsts).toHaveLength(4);
    // A fifth of what is left is the most the first may take: its parent is at work as well.
    expect(Math.max(...firsts)).toBeLessThan(30_000 / 4);
    expect(Math.min(...firsts)).toBeGreaterThan(1_500);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('no overshoot, however many agents work at once, and whatever they say', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 500, max: 40_000 }),
        fc.constantFrom('run' as const, 'agent' as const),
        fc.array(fc.record({ children: fc.nat(5), share: fc.double({ min: 0, max: 1, noNaN: true }), wait: fc.boolean() }), {
          minLength: 1,
          maxLength: 12,
        }),
        async (limit, scope, script) => {
          // Each call uses its whole prompt, as estimated, and a share of the longest reply it may make.
          const team = await testEngine({
            profile: {
              Root: `stagnation: off\n${scope === 'agent' ? `limits: { max_tokens: ${limit} }\n` : ''}${allow('t', 'delegate')}`,
            },
            tools: [words, delegate],
            replies: async (request, index) => {
              const step = script[index % script.length] ?? { children: 0, share: 0, wait: false };
              if (step.wait) await breathe(1);
              const usage = {
                inputTokens: contentTokens(JSON.stringify(request.prompt)),
                outputTokens: Math.floor((request.maxOutputTokens ?? 8_192) * step.share),
              };
              const calls = Array.from({ length: step.children }, () => ({ name: 'delegate', args: { to: 'Root' } }));
              return { text: 'said', toolCalls: [...calls, { name: 't', args: {} }], usage };
            },
          });
          const run = await team.launch('Go.', { limits: { total: 24, ...(scope === 'run' ? { tokens: limit } : {}) } });
          expect(await run.result).toMatchObject({ outcome: 'limit' });
          const events = await verifyRun(run, team.journal, { requests: team.model.requests });
          expect(run.state.budget.tokens).toBeLessThanOrEqual(limit + estimateErrors(events));
          expect(run.state.budget).toMatchObject({ reservedTokens: 0, reserving: 0, live: 0 });
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  }, 120_000);
});

/** By how much prompts turned out longer than they were taken to be. */
function estimateErrors(events: readonly CadreEvent[]): number {
  const reserved = new Map<string, number>();
  let error = 0;
  for (const event of events) {
    if (event.type === 'turn.start') reserved.set(event.turnId, event.reserve?.tokens ?? 0);
    if (event.type === 'model.end')
      error += Math.max(0, (event.usage.inputTokens ?? 0) + (event.usage.outputTokens ?? 0) - (reserved.get(event.turnId) ?? 0));
  }
  return error;
}

function told(events: readonly CadreEvent[]): readonly string[] {
  return events
    .filter((event): event is EventOf<'limit.reach'> => event.type === 'limit.reach')
    .map(({ stage, scope, limit }) => `${stage} ${scope} ${limit}`);
}
