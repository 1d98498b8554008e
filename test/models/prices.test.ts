import { describe, expect, it } from 'vitest';
import { loadProfiles } from '../../src/index.ts';
import { costOf } from '../../src/models/attempts/model-usage.ts';

const table = `
name: prices
config:
  prices:
    openai/big: { input: 10, output: 30, cache_read: 1, cache_write: 12, reasoning: 40 }
    small: { input: 1, output: 2 }
`;

async function priceOf(config: string): Promise<unknown> {
  const set = await loadProfiles({
    files: [
      { path: 'llm_configs/prices.yaml', text: table },
      { path: 'llm_configs/a.yaml', text: `name: a\nbase_llm_config: prices\nconfig: ${config}` },
    ],
  });
  return set.llmConfigs.get('a')?.price;
}

describe('prices', () => {
  it.each([
    ['{ model: openai/big }', { input: 10, output: 30, cacheRead: 1, cacheWrite: 12, reasoning: 40 }],
    ['{ model: acme/small }', { input: 1, output: 2 }],
    ['{ model: openai/big, price: { input: 5, output: 6 } }', { input: 5, output: 6 }],
    [
      '{ model: openai/big, prices: { openai/big: { output: 99 } } }',
      { input: 10, output: 99, cacheRead: 1, cacheWrite: 12, reasoning: 40 },
    ],
    ['{ model: acme/unknown }', undefined],
  ])('of a config %s: its own, else that of its model in the table it inherits', async (config, price) => {
    expect(await priceOf(config)).toEqual(price);
  });

  it('a table is checked as a whole', async () => {
    await expect(priceOf('{ model: openai/big, prices: { x: { input: 1 } } }')).rejects.toThrow(/a\.yaml:3:.*price needs both/);
    await expect(priceOf('{ model: openai/big, prices: { x: { input: -1, output: 1 } } }')).rejects.toThrow(/a\.yaml:3/);
  });

  it('cached, written and reasoning tokens have prices of their own, and cost like the others where they have none', () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 1_000_000,
      cacheReadTokens: 400_000,
      cacheWriteTokens: 100_000,
      reasoningTokens: 500_000,
    };
    expect(costOf(usage, { input: 10, output: 30, cacheRead: 1, cacheWrite: 12, reasoning: 40 })).toBeCloseTo(
      5 + 0.4 + 1.2 + 15 + 20,
    );
    expect(costOf(usage, { input: 10, output: 30 })).toBeCloseTo(40);
    expect(costOf({ inputTokens: 1 }, { input: 1, output: 1 })).toBeUndefined();
  });
});
