import { describe, expect, it } from 'vitest';
import { breathe, testEngine, type TestEngine } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';
import type { ScriptedReply } from '../../src/testing/index.ts';
import type { Run } from '../../src/index.ts';

/** Lets a manual clock run until the run stands still: waits between attempts. */
async function throughTime(team: TestEngine, run: Run): Promise<void> {
  for (let round = 0; round < 400 && run.state.status === 'running'; round++) {
    await breathe(1);
    if (team.clock.timers > 0 && run.state.status === 'running') await team.clock.advance(30_000);
  }
}

const words = 'many words of an answer that never ends '.repeat(200);
/** About 2,000 tokens, cut before the finish. */
const cut: ScriptedReply = { text: words, cutAfter: 6 };

const priced = (more = ''): { readonly path: string; readonly text: string } => ({
  path: 'llm_configs/priced.yaml',
  text: `name: priced\nconfig: { model: m, max_output_tokens: 4000, price: { input: 100, output: 100 }, max_retries: 13, wait_seconds_on_retry: 1${more} }`,
});

describe('[F95] every attempt of a model call is within every limit', () => {
  it('cut streams count, and replies are bound to what is left: the run ends at its limit', async () => {
    const team = await testEngine({
      profile: 'llm_config_ref: priced',
      files: [priced()],
      replies: Array.from({ length: 20 }, () => cut),
    });
    const run = await team.launch('Go.', { limits: { costUsd: 2.5 } });
    await throughTime(team, run);
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed', outcome: 'limit', error: { code: 'LIMIT_REACHED' } });
    expect(result.error?.message).toMatch(/of 2.5 US dollars of the run/);
    expect(team.model.requests.length).toBeGreaterThan(3);
    expect(team.model.requests.length).toBeLessThan(14);
    expect(run.state.usage.cost).toBeGreaterThan(1);
    // No more than the limit and one piece of the stream, a quarter of the words.
    expect(run.state.usage.cost).toBeLessThanOrEqual(2.5 + 0.06);
    expect(run.state.budget).toMatchObject({ reservedTokens: 0, reserving: 0 });
    expect(run.state.budget.cost).toBeCloseTo(run.state.usage.cost, 9);
    expect(run.turns().flatMap(({ attempts }) => attempts)).toHaveLength(team.model.requests.length);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a retry that does not fit is not begun, and says which limit and what to do', async () => {
    const team = await testEngine({
      profile: 'llm_config_ref: priced\nlimits: { max_tokens: 5000 }',
      files: [priced()],
      replies: Array.from({ length: 20 }, () => ({ text: 'a few words', cutAfter: 3 })),
    });
    const run = await team.launch('lorem ipsum '.repeat(600));
    await throughTime(team, run);
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed', outcome: 'limit', error: { code: 'LIMIT_REACHED' } });
    expect(result.error?.message).toMatch(
      /of 5000 tokens.*another attempt of the model call on 'priced'.*was not made. Raise limits.max_tokens of the profile/,
    );
    expect(team.model.requests).toHaveLength(2);
    expect(run.state.usage.inputTokens + run.state.usage.outputTokens).toBe(run.state.budget.tokens);
    expect(run.state.budget).toMatchObject({ reservedTokens: 0, reservedCost: 0, reserving: 0 });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('cut attempts and a success count together', async () => {
    const team = await testEngine({
      profile: 'llm_config_ref: priced',
      files: [priced()],
      replies: [cut, cut, cut, { text: 'done', usage: { inputTokens: 200, outputTokens: 5 } }],
    });
    const run = await team.launch('Go.');
    await throughTime(team, run);
    expect(await run.result).toMatchObject({ status: 'completed', output: 'done' });
    expect(run.state.usage.outputTokens).toBeGreaterThan(3 * 1_500);
    expect(run.state.usage).toMatchObject({ modelCalls: 1, costUnknown: false });
    expect(run.state.budget.tokens).toBe(run.state.usage.inputTokens + run.state.usage.outputTokens);
    expect(run.turns()[0]).toMatchObject({ usage: { outputTokens: run.state.usage.outputTokens } });
    expect(run.turns()[0]?.attempts.map(({ usage }) => usage !== undefined)).toEqual([true, true, true, false]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
