import { describe, expect, test } from 'vitest';
import { type JsonObject, isJsonObject } from '../../src/core/json.ts';
import { associate, assignment, dispatch, plannedRun, starts } from './planned-run.ts';
import { plainProfile as profile } from '../support/plain-profile.ts';

function list(data: JsonObject, key: string): readonly JsonObject[] {
  const value = data[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

describe('what a dispatch starts', () => {
  test('one agent per module, with its place in the team, and the module ongoing', () => {
    const { team, principal } = plannedRun(2);
    const call = dispatch(team, principal, assignment('WM_1'), assignment('WM_2', { agent_profile_logical_name: 'Writer' }));
    expect(call.suspended).toBe(true);
    expect(starts(team)).toMatchObject([
      {
        profile: 'Researcher',
        parentAgentId: principal,
        moduleId: 'WM_1',
        roleName: 'Worker on WM_1',
        depth: 2,
        callId: call.callId,
        flowId: 'flow_1',
      },
      { profile: 'Writer', parentAgentId: principal, moduleId: 'WM_2' },
    ]);
    expect(starts(team)[0]?.lastTurnId).toBe(team.agent(principal).turn.currentId);
    expect(team.module('WM_1')).toMatchObject({
      status: 'ongoing',
      assignee_history: [{ agent_id: associate(team, 'WM_1'), outcome: 'running' }],
    });
    expect(team.run.team.dispatchHistory).toMatchObject([
      { dispatch_id: 'D_1', call_id: call.callId, module_id: 'WM_1', status: 'RUNNING', profile: 'Researcher' },
      { dispatch_id: 'D_2', module_id: 'WM_2', status: 'RUNNING' },
    ]);
    expect(team.agent(associate(team, 'WM_1')).inbox.items.map(({ item }) => item.source)).toEqual(['AGENT_STARTUP_BRIEFING']);
  });

  test('a dispatch id of its own for each attempt (D1.13)', () => {
    const { team, principal } = plannedRun(1);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      dispatch(team, principal, assignment('WM_1'));
      team.end(associate(team, 'WM_1'), 'success', { deliverables: { primary_summary: `attempt ${attempt}` } });
    }
    expect(team.module('WM_1').context_archive.map((entry) => entry.dispatch_id)).toEqual(['D_1', 'D_2']);
    expect(team.module('WM_1').assignee_history.map((entry) => entry.outcome)).toEqual(['completed_success', 'completed_success']);
    expect(team.module('WM_1').deliverables).toEqual({ primary_summary: 'attempt 1' });
  });
});

describe('the checks of an assignment', () => {
  const profiles = [
    profile('Retired', { isActive: false }),
    profile('Deleted', { isDeleted: true }),
    profile('Private', { availableForStaffing: false }),
  ];

  test.each<[string, JsonObject, string]>([
    ['an unknown module', assignment('WM_9'), 'there is no module "WM_9"; there are: WM_1, WM_2, WM_3'],
    ['a completed module', assignment('WM_3'), 'module WM_3 is completed; only pending and pending_review'],
    [
      'an unknown profile',
      assignment('WM_1', { agent_profile_logical_name: 'Reseacher' }),
      'did you mean Researcher? Profiles that may be staffed: Researcher, Writer.',
    ],
    ['an inactive profile', assignment('WM_1', { agent_profile_logical_name: 'Retired' }), 'profile Retired is not active'],
    ['a deleted profile', assignment('WM_1', { agent_profile_logical_name: 'Deleted' }), 'there is no profile "Deleted"'],
    [
      'a profile that is not for staffing',
      assignment('WM_1', { agent_profile_logical_name: 'Private' }),
      'profile Private is not available for staffing',
    ],
    [
      'inheritance from nowhere',
      assignment('WM_1', { inherit_messages_from: ['WM_2', 'WM_8'] }),
      'inherit_messages_from names "WM_8", which is no module',
    ],
  ])('refuse %s and let its sibling go ahead', (_, bad, reason) => {
    const { team, principal } = plannedRun(3, { profiles });
    team.call(principal, 'manage_work_modules', {
      actions: [{ action: 'status_change', module_id: 'WM_3', new_status: 'completed' }],
    });
    const call = dispatch(team, principal, bad, assignment('WM_2'));
    expect(call.suspended).toBe(true);
    team.end(associate(team, 'WM_2'), 'success', { output: 'done' });
    const { data } = team.result(call.callId);
    expect(data['status']).toBe('PARTIAL_SUCCESS_SOME_PREP_FAILED');
    expect(list(data, 'failed_preparation_details')).toEqual([{ input: bad, reason: expect.stringContaining(reason) as string }]);
    expect(team.module('WM_1').status).toBe('pending');
  });

  test('refuse a module whose dependencies are not completed, until they are', () => {
    const { team, principal } = plannedRun(2);
    const manage = (action: JsonObject) => team.call(principal, 'manage_work_modules', { actions: [action] });
    manage({ action: 'update', module_id: 'WM_2', depends_on: ['WM_1'] });
    const refused = dispatch(team, principal, assignment('WM_2'));
    expect(refused.text).toContain('module WM_2 depends on modules that are not completed: WM_1 (pending)');
    manage({ action: 'status_change', module_id: 'WM_1', new_status: 'completed' });
    expect(dispatch(team, principal, assignment('WM_2')).suspended).toBe(true);
  });

  test('count only accepted assignments as given twice (D1.17)', () => {
    const { team, principal } = plannedRun(1);
    const call = dispatch(
      team,
      principal,
      assignment('WM_1', { agent_profile_logical_name: 'Nobody' }),
      assignment('WM_1'),
      assignment('WM_1'),
    );
    team.end(associate(team, 'WM_1'), 'success');
    const details = list(team.result(call.callId).data, 'failed_preparation_details');
    expect(details.map((detail) => detail['reason'])).toEqual([
      expect.stringContaining('there is no profile "Nobody"'),
      expect.stringContaining('module WM_1 is assigned twice'),
    ]);
    expect(team.module('WM_1').assignee_history).toHaveLength(1);
  });

  test('name the first fault in the documented order', () => {
    const { team, principal } = plannedRun(1);
    dispatch(team, principal, assignment('WM_1'));
    const call = dispatch(team, principal, assignment('WM_1', { agent_profile_logical_name: 'Nobody' }));
    expect(call.text).toContain('module WM_1 is ongoing');
  });

  test('keep to a team that was chosen', () => {
    const { team, principal } = plannedRun(1);
    team.emit({ type: 'state.update', scope: 'team', operation: 'set', path: 'profiles_list', value: ['Writer'] });
    expect(dispatch(team, principal, assignment('WM_1')).text).toContain(
      'profile Researcher is not in the team chosen for this run',
    );
    expect(dispatch(team, principal, assignment('WM_1', { agent_profile_logical_name: 'Writer' })).suspended).toBe(true);
  });

  test('keep to the limits on depth and children', () => {
    const shallow = plannedRun(1, { limits: { maxDepth: 1 } });
    expect(dispatch(shallow.team, shallow.principal, assignment('WM_1')).text).toContain('limit maxDepth');
    const few = plannedRun(3, { limits: { maxChildren: 2 } });
    const call = dispatch(few.team, few.principal, assignment('WM_1'), assignment('WM_2'), assignment('WM_3'));
    expect(starts(few.team)).toHaveLength(2);
    for (const id of ['WM_1', 'WM_2']) few.team.end(associate(few.team, id), 'success');
    expect(few.team.result(call.callId).text).toContain('may start 2 (limit maxChildren)');
  });

  test("a profile's own limits come before the run's", () => {
    const { team } = plannedRun(1, { profiles: [profile('Lead', { type: 'principal', limits: { maxChildren: 0 } })] });
    const lead = team.start('Lead', team.partner);
    expect(dispatch(team, lead, assignment('WM_1')).text).toContain('may start 0 (limit maxChildren)');
  });
});

describe('the result of a dispatch', () => {
  const refused = assignment('WM_99');

  test.each<[string, readonly string[], number, boolean]>([
    ['SUCCESS', ['success', 'success'], 0, false],
    ['PARTIAL_SUCCESS_SOME_PREP_FAILED', ['success'], 1, false],
    ['PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED', ['success', 'error'], 0, false],
    ['PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED', ['success', 'cancelled'], 0, false],
    ['PARTIAL_SUCCESS_MIXED_RESULTS', ['success', 'limit'], 1, false],
    ['TOTAL_FAILURE_ASSOCIATES_ALL_FAILED', ['error', 'cancelled'], 0, true],
    ['TOTAL_FAILURE_PREP_AND_ASSOC_FAILED', ['error'], 1, true],
    ['TOTAL_FAILURE_ALL_PREP_FAILED', [], 2, true],
    ['NO_ASSIGNMENTS_REQUESTED', [], 0, false],
    ['TOTAL_FAILURE', ['cancelled', 'cancelled'], 0, true],
  ])('has status %s for associates %j and %i refused', (status, outcomes, refusals, isError) => {
    const { team, principal } = plannedRun(outcomes.length);
    const good = outcomes.map((_, index) => assignment(`WM_${index + 1}`));
    const call = dispatch(team, principal, ...good, ...Array.from({ length: refusals }, () => refused));
    for (const [index, outcome] of outcomes.entries()) team.end(associate(team, `WM_${index + 1}`), outcome);
    const result = team.result(call.callId);
    expect(result.data['status']).toBe(status);
    expect(result.isError).toBe(isError);
    expect(list(result.data, 'assignment_execution_results')).toHaveLength(outcomes.length);
    expect(list(result.data, 'failed_preparation_details')).toHaveLength(refusals);
    expect(result.data['message']).toContain(
      `Dispatch operation concluded for ${outcomes.length + refusals} requested assignment(s).`,
    );
  });

  test('names each assignment in the order of the call, whoever ended first', () => {
    const { team, principal } = plannedRun(3);
    const call = dispatch(team, principal, assignment('WM_1'), assignment('WM_2'), assignment('WM_3'));
    team.end(associate(team, 'WM_3'), 'success', { deliverables: { primary_summary: 'three' } });
    team.end(associate(team, 'WM_1'), 'error', { error: 'the model refused' });
    expect(team.module('WM_2').status).toBe('ongoing');
    team.end(associate(team, 'WM_2'), 'limit', { output: 'half of it' });
    expect(list(team.result(call.callId).data, 'assignment_execution_results')).toMatchObject([
      {
        module_id: 'WM_1',
        associate_id: associate(team, 'WM_1'),
        execution_status: 'completed_error',
        deliverables: {},
        error_details: { outcome: 'error', message: 'the model refused' },
      },
      {
        module_id: 'WM_2',
        execution_status: 'completed_error',
        deliverables: { primary_summary: 'half of it' },
        error_details: { outcome: 'limit' },
      },
      { module_id: 'WM_3', execution_status: 'completed_success', deliverables: { primary_summary: 'three' }, error_details: null },
    ]);
  });

  test('an outcome other than success is a failure in the module, its history and the dispatch record (D1.22)', () => {
    const { team, principal } = plannedRun(1);
    dispatch(team, principal, assignment('WM_1'));
    team.end(associate(team, 'WM_1'), 'gave_up', { error: 'no sources' });
    expect(team.module('WM_1')).toMatchObject({
      status: 'pending_review',
      review_info: { trigger: 'associate_failed', error_details: { outcome: 'gave_up', message: 'no sources' } },
      assignee_history: [{ outcome: 'completed_error', ended_at: expect.any(Number) as number }],
    });
    expect(team.run.team.dispatchHistory[0]).toMatchObject({ status: 'COMPLETED_ERROR', error_details: { outcome: 'gave_up' } });
  });

  test('a failed rework leaves the deliverables of the earlier attempt in place', () => {
    const { team, principal } = plannedRun(1);
    dispatch(team, principal, assignment('WM_1'));
    team.end(associate(team, 'WM_1'), 'success', { deliverables: { primary_summary: 'good' } });
    dispatch(team, principal, assignment('WM_1'));
    team.end(associate(team, 'WM_1'), 'error');
    expect(team.module('WM_1')).toMatchObject({
      deliverables: { primary_summary: 'good' },
      review_info: { trigger: 'associate_failed' },
    });
    expect(team.module('WM_1').context_archive.map((entry) => entry.deliverables)).toEqual([{ primary_summary: 'good' }, {}]);
  });

  test.each([
    ['its output', { output: 'the answer' }, '', { primary_summary: 'the answer' }],
    ['its last words', {}, 'forty-two', { primary_summary: 'forty-two' }],
    [
      'the summary it wrote as JSON (D1.8)',
      {},
      '{"primary_summary":"short","sources":["a.md:1"]}',
      { primary_summary: 'short', sources: ['a.md:1'] },
    ],
    ['a fenced summary', {}, '```json\n{"primary_summary":"fenced"}\n```', { primary_summary: 'fenced' }],
    ['nothing when it said nothing', {}, '', {}],
  ])('an associate that hands in no deliverables is represented by %s', (_, result, words, deliverables) => {
    const { team, principal } = plannedRun(1);
    const call = dispatch(team, principal, assignment('WM_1'));
    if (words !== '') team.say(associate(team, 'WM_1'), words);
    team.end(associate(team, 'WM_1'), 'success', result);
    expect(list(team.result(call.callId).data, 'assignment_execution_results')[0]?.['deliverables']).toEqual(deliverables);
    expect(team.module('WM_1').deliverables).toEqual(deliverables);
  });

  test("shows an associate's messages with role tags, without its briefing, and capped", () => {
    const { team, principal } = plannedRun(1);
    const call = dispatch(team, principal, assignment('WM_1'));
    team.say(associate(team, 'WM_1'), 'I looked.');
    team.say(associate(team, 'WM_1'), 'x'.repeat(20_000));
    team.end(associate(team, 'WM_1'), 'success');
    const messages = list(team.result(call.callId).data, 'assignment_execution_results')[0]?.['new_messages_from_associate'];
    if (typeof messages !== 'string') throw new Error('no messages');
    expect(messages).toMatch(/^\[assistant\] I looked\.\n\[assistant\] x+/);
    expect(messages).not.toContain('schema_for_rendering');
    expect(messages).toContain('characters left out');
    expect(messages.length).toBeLessThan(7_000);
    expect(team.module('WM_1').context_archive[0]?.message_count).toBe(3);
  });

  test('long deliverables are shortened in the result and whole in the module', () => {
    const { team, principal } = plannedRun(1);
    const call = dispatch(team, principal, assignment('WM_1'));
    team.end(associate(team, 'WM_1'), 'success', { deliverables: { report: 'r'.repeat(200_000), note: 'kept' } });
    const result = list(team.result(call.callId).data, 'assignment_execution_results')[0]?.['deliverables'];
    expect(JSON.stringify(result).length).toBeLessThan(100_000);
    expect(result).toMatchObject({ note: 'kept' });
    expect(team.module('WM_1').deliverables['report']).toHaveLength(200_000);
  });

  test('is the same when several associates ended before the call was told', () => {
    const { team, principal } = plannedRun(2);
    const call = dispatch(team, principal, assignment('WM_1'), assignment('WM_2'));
    team.endSilently(associate(team, 'WM_1'), 'success');
    team.endSilently(associate(team, 'WM_2'), 'error');
    team.tell(associate(team, 'WM_1'));
    expect(team.result(call.callId).data['status']).toBe('PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED');
    expect(Object.values(team.modules).map((module) => module.status)).toEqual(['pending_review', 'pending_review']);
  });

  test('waiting on changes neither the wait nor the memo, so they need not be stored again', () => {
    const { team, principal } = plannedRun(2);
    const call = dispatch(team, principal, assignment('WM_1'), assignment('WM_2'));
    const before = team.agent(principal).calls.open.get(call.callId);
    const { waitFor, memo } = { waitFor: before?.waitFor, memo: before?.memo };
    team.end(associate(team, 'WM_1'), 'success');
    expect(team.agent(principal).calls.open.get(call.callId)?.waitFor).toBe(waitFor);
    expect(team.agent(principal).calls.open.get(call.callId)?.memo).toBe(memo);
  });
});
