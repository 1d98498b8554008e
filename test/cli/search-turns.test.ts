import { expect, it } from 'vitest';
import { notFound, searchTurns } from '../../src/cli/commands/reading/why.ts';
import type { WhyAnswer } from '../../src/inspect/why/why.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';

const turns = ['A_1.t1', 'B_2.t1', 'B_2.t2', 'A_1.t2'].map((turnId) => ({ turnId, start: { prompt: { tokens: 100 } } }));
const state = { turns: new Map(turns.map((turn) => [turn.turnId, turn])), meta: { runId: 'r' } } as unknown as RunContext;
const newest: readonly string[] = [...state.turns.keys()].toReversed();

/** Creates a run in which the given turns contain the text, with the given matches. */
function asking(found: Readonly<Record<string, WhyAnswer['match']>>) {
  const asked: string[] = [];
  const why = (turnId: string): Promise<readonly WhyAnswer[]> => {
    asked.push(turnId);
    const match = found[turnId];
    return Promise.resolve(match === undefined ? [] : [{ turnId, match } as WhyAnswer]);
  };
  return { asked, recorded: { state, why } };
}

it('the newest turn that has a text word by word answers, else the newest that nearly has it', async () => {
  const [first = '', second = '', third = ''] = newest;
  const both = asking({ [second]: 'case', [third]: 'exact' });
  expect(await searchTurns(both.recorded, 'x')).toMatchObject({ answers: [{ turnId: third }], searched: 3 });
  expect(both.asked).toEqual([first, second, third]);
  const nearly = asking({ [second]: 'case', [third]: 'whitespace' });
  expect(await searchTurns(nearly.recorded, 'x')).toMatchObject({ answers: [{ turnId: second }], searched: newest.length });
});

it('a search ends once the prompts come to too much, and says how far it looked', async () => {
  const { asked, recorded } = asking({});
  const { searched } = await searchTurns(recorded, 'x', 250);
  expect(asked).toEqual(newest.slice(0, 2));
  expect(searched).toBe(2);
  expect(notFound({ state }, searched)).toContain('the newest 2 of the 4 turns');
  expect(notFound({ state }, newest.length)).toContain('no prompt or reply of the 4 turns');
});
