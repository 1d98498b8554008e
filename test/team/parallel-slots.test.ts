import { describe, expect, test } from 'vitest';
import { associate, assignment, dispatch, plannedRun, starts } from './planned-run.ts';
import type { TeamRun } from './team-run.ts';

const working = (team: TeamRun) =>
  [...team.run.agents.values()].filter(
    (agent) => agent.meta.moduleId !== undefined && agent.status !== 'ended' && agent.status !== 'held',
  ).length;

describe('the cap on associates at work', () => {
  const modules = ['WM_1', 'WM_2', 'WM_3', 'WM_4', 'WM_5'];

  test('holds the rest back and releases one for each that ends', () => {
    const { team, principal } = plannedRun(5, { maxParallel: 2 });
    const call = dispatch(team, principal, ...modules.map((id) => assignment(id)));
    expect(starts(team).map((start) => start.held === true)).toEqual([false, false, true, true, true]);
    expect(team.run.team.dispatchHistory.map((record) => record.status)).toEqual([
      'RUNNING',
      'RUNNING',
      'QUEUED',
      'QUEUED',
      'QUEUED',
    ]);
    for (const [index, id] of modules.entries()) {
      expect(working(team)).toBe(Math.min(2, 5 - index));
      team.end(associate(team, id), 'success');
    }
    expect(team.events.flatMap((event) => (event.type === 'agent.release' ? [event.agentId] : []))).toEqual(
      ['WM_3', 'WM_4', 'WM_5'].map((id) => associate(team, id)),
    );
    expect(team.result(call.callId).data['status']).toBe('SUCCESS');
  });

  test('holds for all dispatches of an agent together, and starves none of them', () => {
    const { team, principal } = plannedRun(5, { maxParallel: 2 });
    const first = dispatch(team, principal, assignment('WM_1'), assignment('WM_2'));
    const second = dispatch(team, principal, assignment('WM_3'), assignment('WM_4'), assignment('WM_5'));
    // The second call has one at work beyond the cap, so that somebody is there to call it back.
    expect(working(team)).toBe(3);
    team.end(associate(team, 'WM_1'), 'success');
    expect(working(team)).toBe(2);
    team.end(associate(team, 'WM_2'), 'success');
    expect(team.result(first.callId).data['status']).toBe('SUCCESS');
    expect(working(team)).toBe(2);
    for (const id of ['WM_3', 'WM_4', 'WM_5']) {
      expect(team.agent(associate(team, id)).status).not.toBe('held');
      team.end(associate(team, id), 'success');
    }
    expect(team.result(second.callId).data['status']).toBe('SUCCESS');
  });

  test('each dispatch keeps one of its own at work, so that it does not depend on how the others end', () => {
    const { team, principal } = plannedRun(4, { maxParallel: 2 });
    const first = dispatch(team, principal, assignment('WM_1'), assignment('WM_2'));
    const second = dispatch(team, principal, assignment('WM_3'), assignment('WM_4'));
    team.end(associate(team, 'WM_3'), 'success');
    const turnId = team.agent(principal).calls.open.get(first.callId)?.request.turnId;
    if (turnId === undefined) throw new Error('the first dispatch is not open');
    team.emit({ type: 'tool.end', agentId: principal, turnId, callId: first.callId, status: 'timeout', content: '', ms: 0 });
    expect(team.agent(associate(team, 'WM_4')).status).toBe('ready');
    team.end(associate(team, 'WM_4'), 'success');
    expect(team.result(second.callId).data['status']).toBe('SUCCESS');
  });

  test('an associate that is cancelled while it is held does not hold up the others', () => {
    const { team, principal } = plannedRun(3, { maxParallel: 1 });
    const call = dispatch(team, principal, assignment('WM_1'), assignment('WM_2'), assignment('WM_3'));
    team.end(associate(team, 'WM_2'), 'cancelled');
    expect(team.module('WM_2').status).toBe('pending_review');
    expect(working(team)).toBe(1);
    team.end(associate(team, 'WM_1'), 'success');
    expect(team.agent(associate(team, 'WM_3')).status).toBe('ready');
    team.end(associate(team, 'WM_3'), 'success');
    expect(team.result(call.callId).data['status']).toBe('PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED');
  });
});
