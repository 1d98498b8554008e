import { describe, expect, it } from 'vitest';
import type { RunId, TurnId } from '../../src/core/ids.ts';
import type { RunSummary } from '../../src/core/events/journal.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { TurnState } from '../../src/core/state/turn-state.ts';
import { findRun } from '../../src/cli/runs/find-run.ts';
import { findTurn, matchTurns } from '../../src/cli/runs/find-turn.ts';

function summary(runId: string, createdAt: number): RunSummary {
  return {
    runId: runId as RunId,
    title: '',
    profile: 'P',
    status: 'awaiting',
    createdAt,
    updatedAt: createdAt,
    lastSeq: 1,
    agents: 1,
    turns: 1,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
    costAtLeast: 0,
    costUnknown: false,
  };
}

function runWith(...turnIds: readonly string[]): Pick<RunContext, 'turns' | 'meta'> {
  const turns = new Map(turnIds.map((id) => [id as TurnId, {} as TurnState]));
  return { turns, meta: { runId: 'run_a' } as RunContext['meta'] };
}

describe('which run is meant', () => {
  const runs = [summary('run_abc1', 1), summary('run_abd2', 3), summary('run_x', 2)];

  it.each([
    ['last', 'run_abd2'],
    ['run_x', 'run_x'],
    ['run_abc', 'run_abc1'],
    ['abd', 'run_abd2'],
  ])('%s is %s', (reference, expected) => {
    expect(findRun(runs, reference, 'j.db').runId).toBe(expected);
  });

  it('a beginning of several runs, of none, or an empty one is refused with what there is, newest first', () => {
    expect(() => findRun(runs, 'ab', 'j.db')).toThrow(/prefix of 2 runs: run_abd2, run_abc1;/);
    expect(() => findRun(runs, 'zz', 'j.db')).toThrow(/no run 'zz' in j.db; newest first, there are: run_abd2, run_x, run_abc1/);
    expect(() => findRun(runs, '', 'j.db')).toThrow(/no run ''/);
    expect(() => findRun([], 'last', 'j.db')).toThrow(/no run in j.db yet/);
  });

  it('a whole id wins over other runs it is the beginning of', () => {
    expect(findRun([summary('run_a', 1), summary('run_ab', 2)], 'run_a', 'j.db').runId).toBe('run_a');
  });
});

describe('which turn is meant', () => {
  const run = runWith('Lead_1.t1', 'Lead_1.t2', 'Worker_2.t1', 'Worker_2.t3');

  it.each([
    ['last', 'Worker_2.t3'],
    ['Lead_1.t1', 'Lead_1.t1'],
    ['t2', 'Lead_1.t2'],
    ['t3', 'Worker_2.t3'],
    ['2.t1', 'Worker_2.t1'],
  ])('%s is %s', (reference, expected) => {
    expect(findTurn(run, reference)).toBe(expected);
  });

  it('a turn of another type is meant by its id or the end of it, where no turn of an agent is', () => {
    const others = () => [{ turnId: 'turn_user_3' as TurnId }, { turnId: 'agg_c1' as TurnId }];
    expect(findTurn(run, 'turn_user_3', others)).toBe('turn_user_3');
    expect(findTurn(run, 'c1', others)).toBe('agg_c1');
    expect(findTurn(run, 't3', others)).toBe('Worker_2.t3');
    expect(() => findTurn(run, 'c2', others)).toThrow(/no turn 'c2'; it has: Lead_1.t1/);
  });

  it('the end of several turns, or of none, is refused with the turns it could be', () => {
    expect(() => findTurn(run, 't1')).toThrow(/suffix of 2 turns: Lead_1.t1, Worker_2.t1/);
    expect(() => findTurn(run, 't9')).toThrow(/no turn 't9'; it has: Lead_1.t1/);
    expect(() => findTurn(runWith(), 'last')).toThrow(/no turns yet/);
    // A partial word is not a suffix of an id.
    expect(matchTurns(run, '1')).toEqual([]);
    expect(matchTurns(run, '')).toEqual([]);
  });
});
