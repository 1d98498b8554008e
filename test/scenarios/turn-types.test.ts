import { describe, expect, it } from 'vitest';
import { formatTurnList } from '../../src/inspect/format/format-turn-list.ts';
import { filterTurns } from '../../src/inspect/filter-turns.ts';
import { turnList } from '../../src/inspect/turn-list.ts';
import type { Run } from '../../src/index.ts';
import { call, openEngine, play, speaks } from './scenario.ts';
import { assignment, dispatch, finish, launch, partner, plan, principal, refused, worker, workers } from './team.ts';

const idsOf = (run: Run, type: Parameters<Run['turns']>[0]) => run.turns(type).map((turn) => turn.turnId);

/** The recorded event that something is named after. */
async function seqOf(run: Run, type: string, which = 0): Promise<number> {
  const found: number[] = [];
  for await (const event of run.events()) {
    if (event.type === type) found.push(event.seq);
    if (event.seq === run.state.seq) break;
  }
  return found[which] ?? 0;
}

const twoWorkers = async (words = workers()): Promise<Run> =>
  await play({
    yaml: [principal, worker],
    models: {
      principal: speaks(plan('one', 'two'), dispatch(assignment('WM_1', 'First.'), assignment('WM_2', 'Second.')), finish()),
      worker: words,
    },
  });

describe('[B.3] A1.6 turns that no model takes', () => {
  it('[A1.3.user-turn] what a person said is a turn: after the turn before it, in front of the one that read it', async () => {
    const engine = await openEngine({ yaml: [partner], models: { partner: speaks('Hello.', 'It is grey.') } });
    const run = await engine.launch({ profile: 'Partner', input: 'Good day.' });
    await run.settled();
    await run.send('Which colour is it?');
    await run.settled();
    const [first, second] = run.turns({ type: 'user' });
    const seq = await seqOf(run, 'inbox.add', 1);
    expect(first).toMatchObject({ turnType: 'user', agentId: 'Partner_1', sourceTurnIds: [], status: 'completed' });
    expect(second).toMatchObject({
      turnId: `turn_user_${seq}`,
      flowId: 'flow_Partner_1',
      sourceTurnIds: ['Partner_1.t1'],
      inputs: [{ source: 'USER_PROMPT', content: 'Which colour is it?', payload: { prompt: 'Which colour is it?' }, seq }],
      attempts: [],
      toolInteractions: [],
    });
    expect(run.turn('Partner_1.t2')?.sourceTurnIds).toEqual(['Partner_1.t1', `turn_user_${seq}`]);
    expect(run.turn(`turn_user_${seq}`)).toEqual(second);
    expect(run.turn('turn_user_999')).toBeUndefined();
  });

  it('[A1.3.user-turn] words that nobody has read yet, and items that no person posted, are no turns', async () => {
    const engine = await openEngine({ yaml: [partner], models: { partner: speaks('Hello.', { hang: true }) } });
    const run = await engine.launch({ profile: 'Partner', input: 'Hello.' });
    await run.settled();
    await run.send({ source: 'BUILD_FAILED', payload: 'broken' });
    await run.send('for later');
    expect(run.turns({ type: 'user' }).map((turn) => turn.inputs[0]?.content)).toEqual(['Hello.']);
  });

  it('[A1.9.aggregation-turn] [B.58] a dispatch joins its sub-flows in a turn, which the turn that reads its result comes from', async () => {
    const run = await twoWorkers();
    const callId = run.turn('Principal_1.t2')?.toolInteractions[0]?.callId ?? '';
    expect(run.turn(`dispatch_${callId}`)).toMatchObject({
      turnType: 'dispatch',
      agentId: 'Principal_1',
      sourceTurnIds: ['Principal_1.t2'],
      sourceToolCallId: callId,
      toolInteractions: [{ callId, name: 'dispatch_submodules', status: 'ok' }],
    });
    expect(run.turn('Worker_2.t1')?.sourceTurnIds).toEqual(['Principal_1.t2', `dispatch_${callId}`]);
    expect(run.turn('Worker_3.t1')?.sourceTurnIds).toEqual(['Principal_1.t2', `dispatch_${callId}`]);
    expect(run.turn(`agg_${callId}`)).toMatchObject({
      turnType: 'aggregation',
      status: 'completed',
      sourceTurnIds: ['Worker_2.t1', 'Worker_3.t1'],
      sourceToolCallId: callId,
    });
    expect(run.turn('Principal_1.t3')?.sourceTurnIds).toEqual(['Principal_1.t2', `agg_${callId}`]);
  });

  it('[A1.9.aggregation-turn] sub-flows that failed are joined as well; a dispatch that started nobody is none', async () => {
    const run = await twoWorkers(workers({ 'First.': refused }));
    expect(run.turns({ type: 'aggregation' })).toMatchObject([{ sourceTurnIds: ['Worker_2.t1', 'Worker_3.t1'] }]);
    const idle = await play({
      yaml: [principal, worker],
      models: { principal: speaks(dispatch(assignment('WM_9')), finish()), worker: workers() },
    });
    expect(idle.turns({ type: 'all' }).map((turn) => turn.turnType)).toEqual(['user', 'agent', 'agent']);
  });

  it('[A1.6.other-turn-types] an agent that is sent on begins with a restart; all types stand in one list, in order', async () => {
    const again = call('launch_principal', {
      iteration_mode: 'continue_from_previous',
      new_directives_for_iteration: { user_query_adjustment: 'Only green tea.' },
    });
    const run = await play({
      yaml: [partner, principal, worker],
      models: {
        partner: speaks(plan('goal'), launch(), 'Begun.', again, 'Begun again.', 'Here.'),
        principal: speaks(dispatch(assignment('WM_1')), finish('First.'), finish('Second.')),
        worker: workers(),
      },
    });
    const restart = `restart_${await seqOf(run, 'agent.restart')}`;
    expect(run.turn(restart)).toMatchObject({ turnType: 'restart', agentId: 'Principal_2', sourceTurnIds: ['Principal_2.t2'] });
    expect(run.turn('Principal_2.t3')?.sourceTurnIds).toContain(restart);
    expect(run.turn('Principal_2.t2')?.sourceTurnIds).not.toContain(restart);
    const types = run.turns({ type: 'all', agentId: 'Principal_2' }).map((turn) => turn.turnType);
    expect(types).toEqual(['agent', 'dispatch', 'aggregation', 'agent', 'restart', 'agent']);
    const listed = formatTurnList(turnList(run.fullState(), filterTurns(run.fullState(), { type: 'all' })));
    for (const id of idsOf(run, { type: 'all' })) expect(listed).toContain(id);
    expect(listed).toMatch(/turn_user_\d+ +completed.*USER_PROMPT +Go\./);
    // Whoever asks for turns gets those of agents, as ever.
    expect(new Set(run.turns().map((turn) => turn.turnType))).toEqual(new Set(['agent']));
  });

  it('[A1.13.flow-view] every turn leads back to a person over turns that exist, sub-flows gather in one', async () => {
    const run = await twoWorkers();
    const all = new Map(run.turns({ type: 'all' }).map((turn) => [String(turn.turnId), turn]));
    for (const turn of all.values()) for (const source of turn.sourceTurnIds) expect(all.has(source)).toBe(true);
    const rootsOf = (id: string): readonly string[] => {
      const sources = all.get(id)?.sourceTurnIds ?? [];
      return sources.length === 0 ? [all.get(id)?.turnType ?? ''] : sources.flatMap(rootsOf);
    };
    expect(new Set([...all.keys()].flatMap(rootsOf))).toEqual(new Set(['user']));
    expect([...all.values()].filter((turn) => turn.turnType === 'aggregation').map((turn) => turn.sourceTurnIds.length)).toEqual([
      2,
    ]);
  });

  it('[A1.3.user-turn] what an interrupted turn had read was said once', async () => {
    const engine = await openEngine({
      yaml: [partner],
      models: { partner: speaks({ hang: true }, 'Both.') },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'One.' });
    await run.send('Two.', { priority: 'now' });
    await run.settled();
    const said = run.turns({ type: 'user' });
    expect(said.map((turn) => turn.inputs.map((input) => input.content))).toEqual([['One.'], ['Two.']]);
    expect(run.turns().at(-1)?.reply.text).toBe('Both.');
  });
});
