import { expect, it } from 'vitest';
import type { TurnId } from '../../src/core/ids.ts';
import { pairTurns } from '../../src/inspect/compare/pair-turns.ts';

const turns = (...ids: readonly string[]) => ids.map((turnId) => ({ turnId: turnId as TurnId }));
const paired = (before: readonly string[], after: readonly string[]) =>
  pairTurns(turns(...before), turns(...after)).map((row) => `${row.before?.turnId ?? '-'} ${row.after?.turnId ?? '-'}`);

it('pairs turns of agents that worked at the same time, whatever their order', () => {
  expect(paired(['A_1.t1', 'B_2.t1', 'C_3.t1', 'B_2.t2'], ['A_1.t1', 'C_3.t1', 'B_2.t1', 'B_2.t2'])).toEqual([
    'A_1.t1 A_1.t1',
    'B_2.t1 B_2.t1',
    'C_3.t1 C_3.t1',
    'B_2.t2 B_2.t2',
  ]);
});

it('puts a turn that one run has where it stands in that run', () => {
  expect(paired(['A_1.t1', 'A_1.t2'], ['D_0.t1', 'A_1.t1', 'B_2.t1', 'B_2.t2'])).toEqual([
    '- D_0.t1',
    'A_1.t1 A_1.t1',
    '- B_2.t1',
    '- B_2.t2',
    'A_1.t2 -',
  ]);
});
