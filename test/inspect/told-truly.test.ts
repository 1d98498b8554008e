import { describe, expect, it } from 'vitest';
import { concludeRun } from '../../src/inspect/conclude.ts';
import { diffTurns } from '../../src/inspect/turn/diff-turns.ts';
import { formatTree } from '../../src/inspect/format/format-tree.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import { tree } from '../../src/inspect/tree.ts';
import { turnCost } from '../../src/inspect/turn/turn-cost.ts';
import type { Run } from '../../src/index.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

const status = (payload: string): string => `
pre_turn_observers:
  - { id: status, action: { type: add_to_inbox, inbox_item: { source: TEAM_STATUS, payload: "${payload}" } } }
inbox_handling_strategies:
  - { source: TEAM_STATUS, ingestor: generic_message, params: { is_persistent_in_memory: false } }
`;

/** A run of two turns. */
async function twoTurns(profile: string): Promise<Run> {
  const { launch } = await testEngine({ profile: `${profile}${waitsForUser}`, replies: () => ({ text: 'Well.' }) });
  const run = await launch();
  await run.settled();
  await run.send('And now?');
  await run.settled();
  return run;
}

/** The kinds of difference that the status has between the two turns. */
function statusKinds(run: Run): readonly string[] {
  const [first, second] = run.turns();
  if (first === undefined || second === undefined) throw new Error('there are two turns');
  const ids = new Set(
    [...first.inputs, ...second.inputs].filter(({ source }) => source === 'TEAM_STATUS').map(({ itemId }) => itemId),
  );
  return diffTurns(first, second)
    .entries.filter(({ span }) => ids.has(span.ref as never))
    .map(({ kind }) => kind);
}

describe('F54: views of a run', () => {
  it('compare a status that is rendered anew with the one before it: changed, or the same', async () => {
    expect(statusKinds(await twoTurns(status('Turns: {{ state.turn_count }}')))).toEqual(['changed']);
    expect(statusKinds(await twoTurns(status('All is well.')))).toEqual(['same']);
  });

  it('list the rules that were not asked, and none while a turn is undecided', async () => {
    const run = await twoTurns('');
    const [turn] = run.turns();
    expect(turn?.decision).toMatchObject({ rules: [{ id: 'tools' }, { id: 'wait', matched: true }], notAsked: [] });
    const { launch } = await testEngine({
      profile: `flow_decider:
  - { id: end, action: { type: end_agent_turn, outcome: success } }
  - { id: late, condition: "state.turn_count > 3", action: { type: await_user_input } }`,
      replies: [{ text: 'Well.' }],
    });
    const ended = await launch();
    await ended.settled();
    const [last] = ended.turns();
    expect(last?.decision.notAsked).toMatchObject([{ id: 'late', condition: 'state.turn_count > 3', action: 'await_user_input' }]);
    expect(last === undefined ? '' : formatTurn(last)).toContain('not asked: late');
  });

  it('count no item as never read that only says how the last call of an agent went', async () => {
    const { launch } = await testEngine({
      profile: 'tool_access_policy: { allowed_individual_tools: [finish_flow] }',
      team: {},
      replies: [{ toolCalls: [{ name: 'finish_flow', args: { summary: 'Done.' } }] }],
    });
    const run = await launch();
    await run.settled();
    expect(
      run.state.agents
        .values()
        .next()
        .value?.inbox.items.map(({ item }) => item.source),
    ).toEqual(['TOOL_RESULT']);
    expect(tree(run.state)[0]?.waitingItems).toBe(0);
    expect(formatTree(tree(run.state))).not.toMatch(/waiting|never read/);
  });

  it('name the turn a run failed in, and none of one that was cancelled', async () => {
    const { launch } = await testEngine({ replies: [{ toolCalls: [{ name: 'none', args: {} }] }] });
    const failed = await launch();
    await failed.settled();
    const last = failed.turns().at(-1);
    expect(concludeRun(failed.state)).toMatchObject({ ok: false, failedTurnId: last?.turnId });
    expect(last?.error).toBeDefined();
    const { launch: launchOther } = await testEngine({ replies: [{ hang: true }] });
    const cancelled = await launchOther();
    await cancelled.cancel();
    expect(concludeRun(cancelled.state)).not.toHaveProperty('failedTurnId');
  });

  it('say that a failed call cost 0 only where the cost of the run is known', () => {
    const modelEnd = { cost: 0, error: { code: 'MODEL_FAILED', message: 'gone' }, attempts: [{}], usage: {} };
    const turn = { modelEnd } as unknown as Parameters<typeof turnCost>[1];
    expect(turnCost({ usage: { costUnknown: false } }, turn)).toBe(0);
    expect(turnCost({ usage: { costUnknown: true } }, turn)).toBe(null);
    expect(turnCost({ usage: { costUnknown: true } }, { modelEnd: undefined, charged: undefined, end: undefined })).toBe(undefined);
    const counted = { modelEnd: { ...modelEnd, usage: { inputTokens: 5 } } } as unknown as Parameters<typeof turnCost>[1];
    expect(turnCost({ usage: { costUnknown: true } }, counted)).toBe(0);
  });
});
