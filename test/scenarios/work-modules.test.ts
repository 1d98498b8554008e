import { moduleChanges } from '../../src/core/patches/module-changes.ts';
import { describe, expect, it } from 'vitest';
import { canMove, moduleTransitions, type ModuleStatus } from '../../src/core/team/work-module.ts';
import type { JsonObject } from '../../src/core/json.ts';
import {
  agentOf,
  agentsOf,
  call,
  dataOf,
  openEngine,
  play,
  promptOf,
  resultOf,
  say,
  speaks,
  storePath,
  systemOf,
  turnsOf,
  until,
} from './scenario.ts';
import { assignment, dispatch, finish, move, plan, principal, refused, worker, workers } from './team.ts';

const yaml = [principal, worker];

/** A principal that plans three modules, dispatches as told, and ends. */
async function dispatched(assignments: readonly JsonObject[], replies: Parameters<typeof workers>[0] = {}) {
  const boss = speaks(plan('one', 'two', 'three'), dispatch(...assignments), finish('End.'));
  const model = workers(replies);
  const run = await play({ yaml, models: { principal: boss, worker: model } });
  return { run, boss, model, result: dataOf(run, 'dispatch_submodules') };
}

describe('A1.9 work modules', () => {
  it('[A1.9.module-record] ids in order, status, notes, deliverables, archive, history, review, times', async () => {
    const { run } = await dispatched([assignment('WM_1')]);
    expect(Object.keys(run.state.team.workModules)).toEqual(['WM_1', 'WM_2', 'WM_3']);
    expect(run.state.team.workModules['WM_1']).toMatchObject({
      module_id: 'WM_1',
      name: 'one',
      description: 'About one.',
      status: 'pending_review',
      notes_from_principal: '',
      depends_on: [],
      deliverables: { primary_summary: 'Worked.' },
      context_archive: [
        { dispatch_id: 'D_1', agent_id: 'Worker_2', message_count: 2, deliverables: { primary_summary: 'Worked.' } },
      ],
      assignee_history: [{ dispatch_id: 'D_1', agent_id: 'Worker_2', outcome: 'completed_success', ended_at: expect.any(Number) }],
      review_info: { trigger: 'associate_completed', error_details: null },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
  });

  it('[A1.9.lifecycle] [B.57] pending → ongoing → pending_review → completed, rework and deprecation, and nothing else', async () => {
    const boss = speaks(
      plan('one', 'two'),
      move('completed', 'WM_2'),
      dispatch(assignment('WM_1', 'First.')),
      move('pending', 'WM_1'),
      dispatch(assignment('WM_1', 'Again.')),
      // Straight from pending_review.
      dispatch(assignment('WM_1', 'Once more.')),
      move('completed', 'WM_1'),
      dispatch(assignment('WM_1', 'Too late.')),
      move('ongoing', 'WM_1'),
      move('deprecated', 'WM_1'),
      finish(),
    );
    const run = await play({ yaml, models: { principal: boss, worker: workers() } });
    expect(run.state.team.workModules['WM_1']).toMatchObject({ status: 'deprecated' });
    expect(run.state.team.workModules['WM_1']?.context_archive.map((attempt) => attempt.dispatch_id)).toEqual([
      'D_1',
      'D_2',
      'D_3',
    ]);
    expect(resultOf(run, 'dispatch_submodules', 3)).toContain('WM_1 is completed');
    expect(resultOf(run, 'manage_work_modules', 4)).toContain('WM_1 is completed and cannot become ongoing');
    const statuses = [];
    for await (const event of run)
      for (const { moduleId, fields } of moduleChanges(event))
        if (moduleId === 'WM_1' && fields.status !== undefined) statuses.push(fields.status);
    expect(statuses).toEqual([
      'pending',
      'ongoing',
      'pending_review',
      'pending',
      'ongoing',
      'pending_review',
      'ongoing',
      'pending_review',
      'completed',
      'deprecated',
    ]);
    for (let at = 1; at < statuses.length; at += 1) {
      const [from, to] = [statuses[at - 1], statuses[at]] as [ModuleStatus, ModuleStatus];
      expect(canMove(from, to, 'planner') || canMove(from, to, 'dispatch')).toBe(true);
    }
  });

  it('[D1.15] one status vocabulary and one transition table; a module never stays ongoing', async () => {
    expect(Object.keys(moduleTransitions)).toEqual(['pending', 'ongoing', 'pending_review', 'completed', 'deprecated']);
    const { run } = await dispatched([assignment('WM_1', 'fail'), assignment('WM_2', 'silent')], {
      fail: refused,
      silent: { text: '' },
    });
    expect(Object.values(run.state.team.workModules).map((module) => module.status)).toEqual([
      'pending_review',
      'pending_review',
      'pending',
    ]);
  });

  it('[A1.9.assignment-params] module, profile, role and instructions are required; shared context and inheritance are optional', async () => {
    const { run, boss, model } = await dispatched([]);
    const tool = boss.requests[0]?.tools?.find((offered) => offered.name === 'dispatch_submodules');
    expect(tool?.type === 'function' ? tool.inputSchema : {}).toMatchObject({
      required: ['assignments'],
      properties: {
        shared_context_for_all_assignments: { type: 'string' },
        assignments: {
          items: {
            required: [
              'module_id_to_assign',
              'agent_profile_logical_name',
              'assigned_role_name',
              'assignment_specific_instructions',
            ],
            properties: { inherit_messages_from: { type: 'array' } },
          },
        },
      },
    });
    expect(model.requests).toHaveLength(0);
    const missing = await play({
      yaml,
      models: {
        principal: speaks(call('dispatch_submodules', { assignments: [{ module_id_to_assign: 'WM_1' }] }), finish()),
        worker: workers(),
      },
    });
    expect(missing.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'error', error: { code: 'TOOL_ARGUMENTS_INVALID' } });
    expect(run.state.outcome).toBe('success');
  });

  it('[A1.9.validation-order] [B.58] given twice, unknown, not open, profile: each failure is reported with its input, the others go on', async () => {
    const boss = speaks(
      plan('one', 'two', 'three'),
      move('completed', 'WM_3'),
      dispatch(
        assignment('WM_1'),
        assignment('WM_1', 'Twice.', { agent_profile_logical_name: 'Nobody' }),
        assignment('WM_9', 'x', { agent_profile_logical_name: 'Nobody' }),
        assignment('WM_3', 'x', { agent_profile_logical_name: 'Nobody' }),
        assignment('WM_2', 'x', { agent_profile_logical_name: 'Workr' }),
      ),
      finish(),
    );
    const run = await play({ yaml, models: { principal: boss, worker: workers() } });
    const { failed_preparation_details: failed, status } = dataOf(run, 'dispatch_submodules') as {
      failed_preparation_details: readonly { readonly reason: string; readonly input: object }[];
      status: string;
    };
    expect(failed.map(({ reason }) => reason.replace(/[;,.] .*$/s, ''))).toEqual([
      'module WM_1 is assigned twice in this call',
      'there is no module "WM_9"',
      'module WM_3 is completed',
      'there is no profile "Workr"',
    ]);
    expect(failed[3]?.reason).toContain('did you mean Worker?');
    expect(failed[1]?.input).toMatchObject({ module_id_to_assign: 'WM_9' });
    expect(status).toBe('PARTIAL_SUCCESS_SOME_PREP_FAILED');
    expect(agentsOf(run, 'Worker')).toHaveLength(1);
  });

  it('[D1.17] a refused assignment does not use its module up: a later valid one is accepted', async () => {
    const { result, run } = await dispatched([
      assignment('WM_1', 'x', { agent_profile_logical_name: 'Nobody' }),
      assignment('WM_1'),
    ]);
    expect(result).toMatchObject({
      status: 'PARTIAL_SUCCESS_SOME_PREP_FAILED',
      assignment_execution_results: [{ module_id: 'WM_1', execution_status: 'completed_success' }],
    });
    expect(agentsOf(run, 'Worker')).toHaveLength(1);
  });

  it('[A1.9.execution] module ongoing, dispatch record, child agent with role, module, parent and the caller’s turn as its baton', async () => {
    const seen: string[] = [];
    const { run, model } = await dispatched([assignment('WM_1')], {
      'Do it.': () => {
        seen.push('asked');
        return finish('Worked.', { primary_summary: 'Worked.' });
      },
    });
    expect(seen).toEqual(['asked']);
    const child = agentOf(run, 'Worker');
    expect(child.meta).toMatchObject({
      agentId: 'Worker_2',
      parentAgentId: 'Principal_1',
      roleName: 'Worker of WM_1',
      moduleId: 'WM_1',
      depth: 1,
    });
    expect(systemOf(model.requests[0])).toBe('You work on WM_1 as Worker of WM_1.');
    expect(promptOf(model.requests[0])).toContain('## Agent Briefing');
    expect(promptOf(model.requests[0])).toContain('* **Status:** ongoing');
    expect(turnsOf(run, 'Worker')[0]).toMatchObject({
      sourceTurnIds: ['Principal_1.t2', `dispatch_${child.meta.callId}`],
      sourceToolCallId: child.meta.callId,
      flowId: 'flow_Principal_1',
    });
    expect(run.state.team.dispatchHistory).toMatchObject([
      {
        dispatch_id: 'D_1',
        call_id: child.meta.callId,
        module_id: 'WM_1',
        profile: 'Worker',
        status: 'COMPLETED_SUCCESS',
        final_summary: 'Deliverables: primary_summary',
      },
    ]);
  });

  it('[D1.13] every dispatch has an id of its own, also when a module is dispatched again', async () => {
    const boss = speaks(plan('one'), dispatch(assignment('WM_1')), dispatch(assignment('WM_1')), finish());
    const run = await play({ yaml, models: { principal: boss, worker: workers() } });
    expect(run.state.team.dispatchHistory.map(({ dispatch_id: id, agent_id: agent, status }) => [id, agent, status])).toEqual([
      ['D_1', 'Worker_2', 'COMPLETED_SUCCESS'],
      ['D_2', 'Worker_3', 'COMPLETED_SUCCESS'],
    ]);
  });

  it('[D1.14] changes to a module made while its associate works are kept', async () => {
    const gate = Promise.withResolvers<void>();
    const boss = speaks(
      plan('one'),
      {
        toolCalls: [
          { name: 'dispatch_submodules', args: { assignments: [assignment('WM_1')] } },
          {
            name: 'manage_work_modules',
            args: { actions: [{ action: 'update', module_id: 'WM_1', name: 'renamed', notes_from_principal: 'Hurry.' }] },
          },
        ],
      },
      finish(),
    );
    const slow = workers({ 'Do it.': async () => (await gate.promise, finish()) });
    const engine = await openEngine({ yaml, models: { principal: boss, worker: slow } });
    const run = await engine.launch({ profile: 'Principal', input: 'Go.' });
    await until(() => run.state.team.workModules['WM_1']?.name === 'renamed');
    gate.resolve();
    await run.settled();
    expect(run.state.team.workModules['WM_1']).toMatchObject({
      name: 'renamed',
      notes_from_principal: 'Hurry.',
      status: 'pending_review',
    });
  });

  it('[A1.9.completion] only a success is a success; messages and deliverables are archived; briefings are not handed on', async () => {
    const { run, result } = await dispatched([assignment('WM_1'), assignment('WM_2', 'fail')], { fail: refused });
    expect(run.state.team.workModules['WM_2']).toMatchObject({
      status: 'pending_review',
      review_info: { trigger: 'associate_failed' },
      assignee_history: [{ outcome: 'completed_error' }],
    });
    const [first, second] = result['assignment_execution_results'] as readonly Record<string, unknown>[];
    expect(first?.['new_messages_from_associate']).toContain('(calls finish_flow');
    expect(first?.['new_messages_from_associate']).not.toContain('Agent Briefing');
    expect(second).toMatchObject({
      execution_status: 'completed_error',
      error_details: { outcome: 'error', message: expect.stringContaining('not today') },
    });
  });

  it('[D1.22] an agent that its decider ends with an error is a failed assignment, not a success', async () => {
    const giving = worker.replace(
      'tool_access_policy',
      'flow_decider: [{ id: end, action: { type: end_agent_turn, outcome: error, error_message: Gave up. } }]\ntool_access_policy',
    );
    const run = await play({
      yaml: [principal, giving],
      models: { principal: speaks(plan('one'), dispatch(assignment('WM_1')), finish()), worker: workers({ 'Do it.': say('Hm.') }) },
    });
    expect(resultOf(run, 'dispatch_submodules')).toContain('TOTAL_FAILURE_ASSOCIATES_ALL_FAILED');
    expect(resultOf(run, 'dispatch_submodules')).toContain('Gave up.');
  });

  it('[A1.9.parallelism] [B.58] associates work at the same time, under the cap; those beyond it are held and then released', async () => {
    let working = 0;
    let most = 0;
    const busy = workers({
      'Do it.': async () => {
        working += 1;
        most = Math.max(most, working);
        await new Promise((resolve) => setTimeout(resolve, 5));
        working -= 1;
        return finish('Worked.', { primary_summary: 'Worked.' });
      },
    });
    const boss = speaks(
      plan('a', 'b', 'c', 'd', 'e'),
      dispatch(...['WM_1', 'WM_2', 'WM_3', 'WM_4', 'WM_5'].map((id) => assignment(id))),
      finish(),
    );
    const run = await play({ yaml, models: { principal: boss, worker: busy }, team: { maxParallel: 2 } });
    expect(most).toBe(2);
    expect(dataOf(run, 'dispatch_submodules')['status']).toBe('SUCCESS');
    const released = [];
    for await (const event of run) if (event.type === 'agent.release') released.push(event.agentId);
    expect(released).toEqual(['Worker_4', 'Worker_5', 'Worker_6']);
    expect(run.state.team.dispatchHistory.every((record) => record.status === 'COMPLETED_SUCCESS')).toBe(true);
  });

  const nobody = { agent_profile_logical_name: 'Nobody' };
  it.each([
    ['SUCCESS', [assignment('WM_1'), assignment('WM_2')], 'ok'],
    ['PARTIAL_SUCCESS_SOME_PREP_FAILED', [assignment('WM_1'), assignment('WM_2', 'x', nobody)], 'ok'],
    ['PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED', [assignment('WM_1'), assignment('WM_2', 'fail')], 'ok'],
    ['PARTIAL_SUCCESS_MIXED_RESULTS', [assignment('WM_1'), assignment('WM_2', 'fail'), assignment('WM_3', 'x', nobody)], 'ok'],
    ['TOTAL_FAILURE_ASSOCIATES_ALL_FAILED', [assignment('WM_1', 'fail'), assignment('WM_2', 'fail')], 'error'],
    ['TOTAL_FAILURE_PREP_AND_ASSOC_FAILED', [assignment('WM_1', 'fail'), assignment('WM_2', 'x', nobody)], 'error'],
    ['TOTAL_FAILURE_ALL_PREP_FAILED', [assignment('WM_1', 'x', nobody)], 'error'],
    ['NO_ASSIGNMENTS_REQUESTED', [], 'ok'],
  ] as const)('[A1.9.overall-status] %s', async (status, assignments, callStatus) => {
    const { run, result } = await dispatched([...assignments], { fail: refused });
    expect(result['status']).toBe(status);
    const interaction = turnsOf(run, 'Principal')
      .flatMap((turn) => turn.toolInteractions)
      .find(({ name }) => name === 'dispatch_submodules');
    expect(interaction?.status).toBe(callStatus);
  });

  it('[A1.9.overall-status] TOTAL_FAILURE when every associate was cancelled; the principal goes on', async () => {
    const boss = speaks(plan('one'), dispatch(assignment('WM_1')), finish('End.'));
    const engine = await openEngine({ yaml, models: { principal: boss, worker: workers({ 'Do it.': { hang: true } }) } });
    const run = await engine.launch({ profile: 'Principal', input: 'Go.' });
    await until(() => agentsOf(run, 'Worker')[0]?.status === 'in_turn');
    await run.cancel('not needed', { agentId: 'Worker_2' });
    await run.settled();
    expect(dataOf(run, 'dispatch_submodules')).toMatchObject({
      status: 'TOTAL_FAILURE',
      assignment_execution_results: [{ execution_status: 'cancelled' }],
    });
    expect(run.state.team.workModules['WM_1']?.status).toBe('pending_review');
    expect(run.state.outcome).toBe('success');
  });

  it('[A1.9.result] [D1.16] [B.58] every assignment is in the result, and one sentence counts them', async () => {
    const { result } = await dispatched([assignment('WM_1'), assignment('WM_2', 'fail'), assignment('WM_3', 'x', nobody)], {
      fail: refused,
    });
    expect(result).toMatchObject({
      message: 'Dispatch operation concluded for 3 requested assignment(s). 1 succeeded, 1 failed, 1 could not be prepared.',
      assignment_execution_results: [
        {
          module_id: 'WM_1',
          associate_id: 'Worker_2',
          execution_status: 'completed_success',
          deliverables: { primary_summary: 'Worked.' },
          error_details: null,
        },
        { module_id: 'WM_2', associate_id: 'Worker_3', execution_status: 'completed_error' },
      ],
      failed_preparation_details: [{ input: { module_id_to_assign: 'WM_3' }, reason: expect.stringContaining('Nobody') }],
    });
  });

  it('[A1.9.result] a principal without a strategy of its own reads a report per module', async () => {
    const { boss } = await dispatched([assignment('WM_1')]);
    expect(promptOf(boss.requests[2])).toContain('--- Start of Record for Module WM_1 ---');
    expect(promptOf(boss.requests[2])).toContain('**Dispatch Operation Summary**\n* **Status:** SUCCESS');
  });

  it('[D1.24] a run that stopped in the middle of a dispatch goes on in another process, held associates included', async () => {
    const store = await storePath();
    const models = {
      principal: speaks(
        plan('one', 'two', 'three'),
        dispatch(assignment('WM_1'), assignment('WM_2'), assignment('WM_3')),
        finish('End.'),
      ),
      worker: workers({ 'Do it.': { hang: true } }),
    };
    const first = await openEngine({ yaml, models, store, team: { maxParallel: 2 }, graceMs: 10 });
    const run = await first.launch({ profile: 'Principal', input: 'Go.' });
    await until(() => agentsOf(run, 'Worker').filter((agent) => agent.status === 'in_turn').length === 2);
    expect(agentsOf(run, 'Worker').map((agent) => agent.status)).toEqual(['in_turn', 'in_turn', 'held']);
    await first.close();
    const second = await openEngine({ yaml, models: { ...models, worker: workers() }, store, team: { maxParallel: 2 } });
    const resumed = await second.resume(run.id);
    await resumed.settled();
    expect(dataOf(resumed, 'dispatch_submodules')['status']).toBe('SUCCESS');
    expect(agentsOf(resumed, 'Worker').map((agent) => agent.meta.agentId)).toEqual(['Worker_2', 'Worker_3', 'Worker_4']);
    expect(resumed.state).toMatchObject({ status: 'completed', output: 'End.' });
  });
});
