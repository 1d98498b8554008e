import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contextTokens,
  contextTokensAtMost,
  correctedTokens,
  estimatePrompt,
  promptTokens,
  viewTokens,
} from '../../src/core/prompt/context-size.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { messageTokens } from '../../src/core/prompt/token-estimate.ts';
import type { SubContext } from '../../src/core/state/sub-context.ts';
import type { TurnPrompt } from '../../src/core/state/turn.ts';
import { allow, tool } from '../support/tools.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

/** An agent that has looked something up, answered, and waits; its model counts what `counts` says. */
async function agentWith(counts: readonly number[] = []): Promise<{ agent: SubContext; prompts: readonly TurnPrompt[] }> {
  const { launch, engine } = await testEngine({
    profile: `${allow('look')}${waitsForUser}`,
    tools: [tool('look', () => 'word '.repeat(200), { effect: 'pure' })],
    replies: counts.map((inputTokens, index) => ({
      ...(index === 0 ? { toolCalls: [{ name: 'look', args: {} }] } : { text: 'Found it.' }),
      usage: { inputTokens, outputTokens: 5 },
    })),
  });
  const run = await launch('Look it up.');
  await run.settled();
  const agent = [...run.state.agents.values()][0];
  if (agent === undefined) throw new Error('no agent');
  const prompts = [...run.state.turns.values()].flatMap(({ start }) => (start.prompt === undefined ? [] : [start.prompt]));
  await engine.close();
  return { agent, prompts };
}

describe('the size of a context', () => {
  it('what waits comes to no more than it is taken to be without a look into it', async () => {
    const { agent } = await agentWith([400, 700]);
    const waiting = (payload: JsonValue): SubContext => ({
      ...agent,
      inbox: {
        ...agent.inbox,
        items: [
          {
            item: { itemId: 'i' as never, source: 'X', payload, consumption: 'consume_on_read', delivery: 'next' },
            seq: 1,
            turnsSeen: 0,
            failures: 0,
          },
        ],
      },
    });
    const payload = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null))),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(payload, (value) => {
        const state = waiting(value as JsonValue);
        expect(contextTokensAtMost(state)).toBeGreaterThanOrEqual(contextTokens(state));
      }),
    );
    expect(contextTokensAtMost(waiting({ text: 'ten words', count: 3 }))).toBeLessThan(contextTokens(waiting('')) + 100);
  });

  it('running totals answer for any view as a sum over its messages would', async () => {
    const { agent } = await agentWith([400, 700]);
    expect(agent.history.messages.length).toBe(4);
    for (let from = 0; from <= 4; from++)
      for (let to = from; to <= 4; to++)
        expect(viewTokens(agent, from, to)).toBe(
          agent.history.messages.slice(from, to).reduce((sum, message) => sum + messageTokens(message), 0),
        );
  });

  it('a turn records its own estimate; the count of the provider and what is new since make the next figure', async () => {
    const { agent, prompts } = await agentWith([900, 1_500]);
    const [first, second] = prompts;
    expect(first?.tokens).toBeGreaterThan(20);
    expect((second?.tokens ?? 0) - (first?.tokens ?? 0)).toBeGreaterThan(200);
    expect(agent.context.counted).toEqual({ from: 0, estimated: second?.tokens, tokens: 1_500 });
    const next = estimatePrompt(agent, 20, []);
    expect(correctedTokens(agent, 0, next)).toBe(next - (second?.tokens ?? 0) + 1_500);
    expect(promptTokens(agent, second)).toBe(1_500);
  });

  it('when the view has moved, the estimate is scaled by how far off the last one was', async () => {
    const { agent, prompts } = await agentWith([400, 900]);
    const estimated = prompts[1]?.tokens ?? 0;
    expect(correctedTokens(agent, 2, 100)).toBe(Math.ceil((100 * 900) / estimated));
  });

  it('a count that cannot be one of the whole prompt is not believed', async () => {
    const { agent, prompts } = await agentWith([1, 1]);
    expect(agent.context.counted).toBeUndefined();
    expect(promptTokens(agent, prompts[1])).toBe(prompts[1]?.tokens);
  });
});
