import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { assignment, plannedRun } from './planned-run.ts';
import { TeamRun } from './team-run.ts';

const create = (name: string, changes: JsonObject = {}): JsonObject => ({
  action: 'create',
  name,
  description: `About ${name}`,
  ...changes,
});
const move = (module_id: string, new_status: string): JsonObject => ({ action: 'status_change', module_id, new_status });

function plan(team: TeamRun, ...actions: JsonObject[]) {
  return team.call(team.partner, 'manage_work_modules', { actions });
}

describe('manage_work_modules', () => {
  test('creates modules with ids in order and reports what became of the plan', () => {
    const team = new TeamRun();
    const result = plan(team, create('A'), create('B', { depends_on: ['WM_1'], notes_from_principal: 'short' }));
    expect(result.data).toEqual({
      summary: '2 created, 0 updated, 0 changed in status.',
      modules: [
        { module_id: 'WM_1', name: 'A', status: 'pending', depends_on: [] },
        { module_id: 'WM_2', name: 'B', status: 'pending', depends_on: ['WM_1'] },
      ],
    });
    expect(plan(team, create('C')).data['modules']).toMatchObject([{ module_id: 'WM_3' }]);
    expect(team.module('WM_2')).toMatchObject({
      notes_from_principal: 'short',
      context_archive: [],
      assignee_history: [],
      review_info: null,
    });
  });

  test('carries out no action when one of them fails, and says which one and why', () => {
    const team = new TeamRun();
    plan(team, create('A'));
    const before = team.run.team.workModules;
    const result = plan(team, create('B'), move('WM_1', 'ongoing'), create('C'));
    expect(result.isError).toBe(true);
    expect(result.outcome).not.toHaveProperty('events');
    expect(result.text).toBe(
      'Failed on action 1 (status_change): WM_1 is pending and cannot become ongoing; from there you may set: completed, deprecated. No action of this call was carried out.',
    );
    expect(team.run.team.workModules).toBe(before);
    expect(team.run.counters.modules).toBe(1);
  });

  test('lets later actions of a call build on earlier ones', () => {
    const team = new TeamRun();
    const result = plan(
      team,
      create('A'),
      { action: 'update', module_id: 'WM_1', name: 'A2' },
      move('WM_1', 'completed'),
      move('WM_1', 'pending'),
    );
    expect(result.isError).toBe(false);
    expect(team.module('WM_1')).toMatchObject({ name: 'A2', status: 'pending' });
    expect(team.events.filter((event) => event.type === 'state.patch')).toMatchObject([
      {
        patches: [
          { op: 'add', path: ['team', 'work_modules', 'WM_1'], value: { module_id: 'WM_1', name: 'A2', status: 'pending' } },
        ],
        inverse: [{ op: 'remove', path: ['team', 'work_modules', 'WM_1'] }],
      },
    ]);
  });

  test.each<[string, JsonObject, string]>([
    ['a module that does not exist', move('WM_9', 'completed'), 'there is no module "WM_9"; there are: WM_1'],
    ['a name of the prototype', move('constructor', 'completed'), 'there is no module "constructor"'],
    ['a change without module_id', { action: 'update', name: 'x' }, 'there is no module without module_id'],
    ['a new module without a description', { action: 'create', name: 'x' }, 'needs a name and a description'],
    ['an id of its own choice', create('x', { module_id: 'wm_abc' }), 'this module becomes WM_2'],
    ['an update of nothing', { action: 'update', module_id: 'WM_1' }, 'nothing to change'],
    [
      'a status in an update',
      { action: 'update', module_id: 'WM_1', name: 'x', new_status: 'completed' },
      'use a status_change action',
    ],
    ['a status change without a status', { action: 'status_change', module_id: 'WM_1' }, 'new_status is missing'],
    ['an unknown dependency', create('x', { depends_on: ['WM_7'] }), 'depends_on of WM_2 names WM_7, which does not exist'],
    ['a dependency on itself', { action: 'update', module_id: 'WM_1', depends_on: ['WM_1'] }, 'cycle: WM_1 → WM_1'],
  ])('refuses %s', (_, action, reason) => {
    const team = new TeamRun();
    plan(team, create('A'));
    const result = plan(team, action);
    expect(result.isError).toBe(true);
    expect(result.text).toContain(reason);
  });

  test('accepts dependencies on modules created later in the same call, but no cycle among them', () => {
    const team = new TeamRun();
    expect(plan(team, create('A', { depends_on: ['WM_2'] }), create('B')).isError).toBe(false);
    const result = plan(team, create('C', { depends_on: ['WM_1'] }), { action: 'update', module_id: 'WM_2', depends_on: ['WM_3'] });
    expect(result.text).toContain('Failed on action 1 (update): depends_on would form a cycle: WM_2 → WM_3 → WM_1 → WM_2');
  });

  test('leaves a module alone that an associate is at work on, but lets its texts be edited', () => {
    const { team, principal } = plannedRun(1);
    team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1')] });
    const refused = team.call(team.partner, 'manage_work_modules', { actions: [move('WM_1', 'deprecated')] });
    expect(refused.text).toContain('WM_1 is ongoing and cannot become deprecated; wait until its associate is done');
    team.call(team.partner, 'manage_work_modules', {
      actions: [{ action: 'update', module_id: 'WM_1', notes_from_principal: 'only 2024' }],
    });
    expect(team.module('WM_1')).toMatchObject({ status: 'ongoing', notes_from_principal: 'only 2024' });
    team.end(team.associates('WM_1')[0] ?? team.partner, 'success');
    expect(team.module('WM_1')).toMatchObject({ status: 'pending_review', notes_from_principal: 'only 2024' });
  });

  test('opens a module for rework with the notes of its review', () => {
    const { team, principal } = plannedRun(1);
    team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1')] });
    team.end(team.associates('WM_1')[0] ?? team.partner, 'success', { deliverables: { primary_summary: 'thin' } });
    expect(team.module('WM_1').review_info).toMatchObject({ trigger: 'associate_completed' });
    team.call(principal, 'manage_work_modules', {
      actions: [{ ...move('WM_1', 'pending'), notes_from_principal: 'more sources' }],
    });
    expect(team.module('WM_1')).toMatchObject({ status: 'pending', review_info: null, notes_from_principal: 'more sources' });
    expect(team.module('WM_1').context_archive).toHaveLength(1);
  });
});
