import { describe, expect, it } from 'vitest';

import { formatOverview } from '../../src/inspect/format/format-overview.ts';
import { costText } from '../../src/inspect/format/text/quantity-text.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import { tree } from '../../src/inspect/tree.ts';
import { turnList } from '../../src/inspect/turn-list.ts';
import { describeRun } from '../../src/server/mcp/describe-run.ts';
import type { Run } from '../../src/index.ts';
import { testEngine } from '../support/test-engine.ts';

type Team = Awaited<ReturnType<typeof testEngine>>;

/** A run of one turn, over a model with a price or without one, that used tokens. */
async function runOf(price?: string): Promise<{ readonly team: Team; readonly run: Run }> {
  const team = await testEngine({
    ...(price !== undefined && {
      profile: 'llm_config_ref: priced',
      files: [{ path: 'llm_configs/priced.yaml', text: `name: priced\nconfig: { model: m, price: ${price} }` }],
    }),
    replies: [{ text: 'said', usage: { inputTokens: 300, outputTokens: 50 } }],
  });
  const run = await team.launch();
  await run.result;
  return { team, run };
}

/** What every surface says the run has cost. */
async function surfaces({ team, run }: { readonly team: Team; readonly run: Run }): Promise<readonly unknown[]> {
  const [listed] = await team.journal.runs();
  const overview = runOverview(run.state);
  const agents = JSON.parse(JSON.stringify(tree(run.state))) as readonly { cost: unknown; costWithChildren: unknown }[];
  const turns = JSON.parse(JSON.stringify(turnList(run.state))) as readonly { cost?: unknown }[];
  const usage = describeRun(run, false).data?.['usage'] as { cost_usd: unknown };
  const agentTurns = turns.filter((turn) => 'cost' in turn).map((turn) => turn.cost);
  return [
    listed?.cost,
    overview.cost,
    overview.used.cost,
    agents[0]?.cost,
    agents[0]?.costWithChildren,
    usage.cost_usd,
    ...agentTurns,
  ];
}

describe('F16: an unknown cost', () => {
  it('is null, never 0, in lists, overviews, trees, turns and for MCP clients', async () => {
    const unpriced = await runOf();
    expect(await surfaces(unpriced)).toEqual(Array.from({ length: 7 }, () => null));
    expect(formatOverview(runOverview(unpriced.run.state))).toMatch(/cost unknown[\s\S]*unknown of \$50/);
  });

  it('is not said of a cost that is known, nor of one that is 0', async () => {
    expect(await surfaces(await runOf('{ input: 0, output: 0 }'))).toEqual(Array.from({ length: 7 }, () => 0));
    expect(await surfaces(await runOf('{ input: 1000, output: 1000 }'))).toEqual(Array.from({ length: 7 }, () => 0.35));
  });

  it('is shown with the part that is known', () => {
    expect([costText(null), costText(null, 0.5), costText(0), costText(0.5)]).toEqual([
      'cost unknown',
      'at least $0.50',
      '$0.00',
      '$0.50',
    ]);
  });
});
