import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/index.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { faultTable, type TableRow, type TableRun } from './fault-table.ts';
import { wireModel } from './wire-model.ts';

const amount = { parameters: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } };
const optional = { parameters: { type: 'object', properties: { x: { type: 'number' } } } };
const none = { parameters: { type: 'object', properties: {} } };

async function play(row: TableRow): Promise<TableRun> {
  const ran: Record<string, JsonObject[]> = {};
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const made = (name: string, result: () => unknown, options: object = none): ReturnType<typeof tool> =>
    tool(
      name,
      (args) => {
        (ran[name] ??= []).push(args as JsonObject);
        return result();
      },
      options as Readonly<Record<string, unknown>>,
    );
  const outOfPaper = (): never => {
    throw new Error('out of paper');
  };
  const tools = [
    made('pay', () => 'paid', amount),
    made('opt', () => 'ok', optional),
    made('look', () => 'nothing new'),
    made('hang', () => new Promise(() => undefined)),
    made('throws', outOfPaper),
    made('circular', () => circular),
    made('nil', () => undefined),
    made('huge', () => 'x'.repeat(10_000_000)),
  ];
  const wire = wireModel(row.answers);
  const team = await testEngine({ profile: allow(...tools.map(({ name }) => name)), tools, models: { m: wire.model } });
  const run = await team.launch();
  for (let hops = 0; hops < 1_000 && run.state.outcome === undefined; hops += 1) {
    await breathe(5);
    if (run.state.outcome === undefined && team.clock.nextIn !== undefined && team.engine !== undefined)
      await team.clock.advance(Math.min(team.clock.nextIn, 5_000));
  }
  const result = await run.result;
  await verifyRun(run, team.journal);
  return { result, turns: run.turns(), ran, requests: wire.requests(), took: team.clock.monotonic() };
}

describe('N1: the table every engine can be put through, with nothing configured', () => {
  it('has 25 rows', () => {
    expect(faultTable).toHaveLength(25);
  });

  it.each(faultTable.map((row) => [row.fault, row] as const))('%s', async (_fault, row) => {
    const run = await play(row);
    expect(
      row.holds(run),
      JSON.stringify(
        {
          ...run,
          turns: run.turns.map(({ attempts, toolInteractions }) => ({ attempts, toolInteractions: toolInteractions.slice(0, 3) })),
        },
        null,
        1,
      ).slice(0, 3_000),
    ).toBe(true);
  });
});
