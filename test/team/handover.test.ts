import { describe, expect, test } from 'vitest';
import { compileExpression, type Expression } from '../../src/core/expression/expression.ts';
import type { AgentId, CallId, TurnId } from '../../src/core/ids.ts';
import { type JsonObject, isJsonObject } from '../../src/core/json.ts';
import type { HandoverProtocol, InheritanceRule } from '../../src/core/profile/profile.ts';
import { HandoverView } from '../../src/team/handover/handover-scope.ts';
import { buildBriefing, type Briefing } from '../../src/team/handover/handover.ts';
import { assignment, plannedRun } from './planned-run.ts';
import type { TeamRun, TeamRunOptions } from './team-run.ts';

function condition(source: string): Expression {
  const result = compileExpression(source);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result.value;
}

function protocol(
  inheritance: readonly InheritanceRule[],
  properties: JsonObject = {},
  name = 'principal_to_associate_briefing',
): HandoverProtocol {
  return {
    name,
    version: '1',
    description: '',
    contextParameters: { type: 'object', properties },
    inheritance,
    targetSource: 'AGENT_STARTUP_BRIEFING',
    source: { file: 'protocol.yaml', line: 1, column: 1 },
  };
}

/** A run whose WM_1 was worked on once: its associate said two things, besides its briefing. */
function workedRun(options: TeamRunOptions = {}): { readonly team: TeamRun; readonly principal: AgentId } {
  const { team, principal } = plannedRun(3, options);
  team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1')] });
  const [agentId] = team.associates('WM_1');
  if (agentId === undefined) throw new Error('WM_1 has no associate');
  team.say(agentId, 'Searching.');
  team.say(agentId, 'Found it.');
  team.end(agentId, 'success', { deliverables: { primary_summary: 'It is so.' } });
  return { team, principal };
}

function brief(
  team: TeamRun,
  agentId: AgentId,
  rules: readonly InheritanceRule[],
  params: JsonObject = {},
  properties: JsonObject = {},
): Briefing {
  return buildBriefing(
    protocol(rules, properties),
    params,
    new HandoverView(team.context(agentId, 'none' as TurnId, 'none' as CallId)),
  );
}

/** The briefing in the inbox of a module's newest associate. */
function briefingOf(team: TeamRun, moduleId: string): JsonObject {
  const agentId = team.associates(moduleId).at(-1);
  const item = agentId === undefined ? undefined : team.agent(agentId).inbox.items[0]?.item;
  const payload = item?.payload;
  return isJsonObject(payload) && isJsonObject(payload['data']) ? payload['data'] : {};
}

const ruleBy = (id: string): InheritanceRule => ({ path: 'team.work_modules.{{id}}', replace: { id }, payloadKey: id });

describe('what a rule inherits', () => {
  test('by a path with variables', () => {
    const { team, principal } = workedRun();
    const rule = {
      path: 'team.work_modules.{{ module_id }}',
      replace: { module_id: 'params.module_id_to_assign' },
      payloadKey: 'module_details',
    };
    const { payload } = brief(team, principal, [rule], { module_id_to_assign: 'WM_1' });
    expect(payload.data['module_details']).toMatchObject({
      module_id: 'WM_1',
      status: 'pending_review',
      deliverables: { primary_summary: 'It is so.' },
    });
    expect(JSON.stringify(payload.data['module_details'])).not.toContain('Searching');
  });

  test('by a plain path (D1.3)', () => {
    const { team, principal } = workedRun();
    const { payload } = brief(team, principal, [{ path: 'team.work_modules', payloadKey: 'current_work_modules' }]);
    expect(Object.keys(payload.data['current_work_modules'] ?? {})).toEqual(['WM_1', 'WM_2', 'WM_3']);
  });

  test('with variables from the parameters as the current action (D1.33)', () => {
    const { team, principal } = workedRun();
    const rule = {
      path: 'team.work_modules.{{id}}.name',
      replace: { id: 'state.current_action.parameters.module_id_to_assign' },
      payloadKey: 'name',
    };
    expect(brief(team, principal, [rule], { module_id_to_assign: 'WM_2' }).payload.data).toEqual({ name: 'Module 2' });
  });

  test('by iterating over a list, lists joined', () => {
    const { team, principal } = workedRun();
    const rule = {
      pathToIterate: 'team.work_modules.{{ id }}.context_archive[-1].messages',
      iterateOn: { id: 'state.current_action.parameters.inherit_messages_from' },
      payloadKey: 'inherited_messages',
    };
    const { payload } = brief(team, principal, [rule], { inherit_messages_from: ['WM_1', 'WM_2', 'WM_1'] });
    const once = [
      { role: 'assistant', content: 'Searching.' },
      { role: 'assistant', content: 'Found it.' },
    ];
    expect(payload.data['inherited_messages']).toEqual([...once, ...once]);
  });

  test('by iterating over a list, other values with what led to them', () => {
    const { team, principal } = workedRun();
    const rule = {
      pathToIterate: 'team.work_modules.{{module_id}}.deliverables',
      iterateOn: { module_id: 'params.from' },
      payloadKey: 'inherited_deliverables',
    };
    const { payload } = brief(team, principal, [rule], { from: ['WM_1', 'WM_2'] });
    expect(payload.data['inherited_deliverables']).toEqual([{ module_id: 'WM_1', value: { primary_summary: 'It is so.' } }]);
  });

  test('archived attempts with their messages, when the archive itself is inherited', () => {
    const { team, principal } = workedRun();
    const rule = {
      path: 'team.work_modules.{{id}}.context_archive',
      replace: { id: 'params.id' },
      payloadKey: 'full_context_archive_for_rework',
    };
    const { payload } = brief(team, principal, [rule], { id: 'WM_1' });
    expect(payload.data['full_context_archive_for_rework']).toMatchObject([
      { dispatch_id: 'D_1', messages: [{ content: 'Searching.' }, { content: 'Found it.' }] },
    ]);
  });

  test("the source agent's conversation, without messages marked noHandover", () => {
    const { team, principal } = workedRun();
    const [agentId] = team.associates('WM_1');
    const { payload } = brief(team, agentId ?? principal, [{ path: 'state.messages', payloadKey: 'inherited_messages' }]);
    expect(payload.data['inherited_messages']).toEqual([
      { role: 'assistant', content: 'Searching.' },
      { role: 'assistant', content: 'Found it.' },
    ]);
  });

  test('under its condition, which sees the parameters', () => {
    const { team, principal } = workedRun();
    const path = 'team.work_modules.WM_1.name';
    const rules = [
      { path, payloadKey: 'yes', condition: condition("v['state.current_action.parameters.id'] == 'WM_1'") },
      { path, payloadKey: 'no', condition: condition('params.other') },
      { path, payloadKey: 'broken', condition: condition('params.id - 1 > 0') },
    ];
    const briefing = brief(team, principal, rules, { id: 'WM_1' });
    expect(briefing.payload.data).toEqual({ yes: 'Module 1' });
    expect(briefing.warnings).toEqual([expect.stringContaining('broken was not inherited, its condition failed')]);
  });

  test('nothing for values that are missing or empty, or would lead astray', () => {
    const { team, principal } = workedRun();
    const { payload } = brief(
      team,
      principal,
      [
        ruleBy('params.missing'),
        ruleBy('params.way'),
        ruleBy('params.list'),
        { path: 'team.work_modules.WM_2.deliverables', payloadKey: 'empty' },
      ],
      {
        way: 'WM_1.name',
        list: ['WM_1'],
      },
    );
    expect(payload.data).toEqual({});
  });

  test('titles and schemas go along for rendering, in the order of the data', () => {
    const { team, principal } = workedRun();
    const rules = [
      { path: 'team.work_modules.WM_1.name', payloadKey: 'module_name', title: 'The module', schema: { type: 'string' } },
    ];
    const properties = { instructions: { type: 'string', 'x-handover-title': 'To do' }, unused: { type: 'string' } };
    expect(brief(team, principal, rules, { instructions: 'look', secret: 'not declared' }, properties).payload).toEqual({
      data: { instructions: 'look', module_name: 'Module 1' },
      schema_for_rendering: {
        type: 'object',
        properties: {
          instructions: { type: 'string', 'x-handover-title': 'To do' },
          module_name: { type: 'string', 'x-handover-title': 'The module' },
        },
      },
    });
  });
});

describe('the briefing of an associate', () => {
  const shared = { shared_context_for_all_assignments: 'We compare databases.' };

  test.each([
    ['without a protocol', {}],
    [
      'with a protocol that does not mention it',
      { protocols: [protocol([], { assignment_specific_instructions: { type: 'string' } })] },
    ],
  ])('holds the shared context and its instructions %s (D1.4)', (_, options) => {
    const { team, principal } = plannedRun(1, options);
    team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1')], ...shared });
    expect(briefingOf(team, 'WM_1')).toMatchObject({
      ...shared,
      assignment_specific_instructions: 'Do WM_1',
      assigned_role_name: 'Worker on WM_1',
    });
    expect(team.agent(team.associates('WM_1')[0] ?? principal).initialParams).toMatchObject({
      ...shared,
      module_id_to_assign: 'WM_1',
    });
  });

  test('holds its module as it stands then, and the earlier attempts of a rework', () => {
    const { team, principal } = workedRun();
    team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1'), assignment('WM_2')] });
    expect(briefingOf(team, 'WM_1')).toMatchObject({
      module_details: { module_id: 'WM_1', status: 'ongoing' },
      full_context_archive_for_rework: [{ messages: [{ content: 'Searching.' }, { content: 'Found it.' }] }],
    });
    expect(briefingOf(team, 'WM_2')).not.toHaveProperty('full_context_archive_for_rework');
  });

  test.each([
    ['without a protocol', {}],
    ['with a protocol that does not mention them', { protocols: [protocol([])] }],
  ])('holds what the call asked to inherit, %s', (_, options) => {
    const { team, principal } = workedRun(options);
    team.call(principal, 'dispatch_submodules', {
      assignments: [assignment('WM_2', { inherit_messages_from: ['WM_1'], inherit_deliverables_from: ['WM_1'] })],
    });
    expect(briefingOf(team, 'WM_2')).toMatchObject({
      inherited_messages: [{ content: 'Searching.' }, { content: 'Found it.' }],
      inherited_deliverables: [{ module_id: 'WM_1', value: { primary_summary: 'It is so.' } }],
    });
  });

  test("follows the run's own protocol, to its target source", () => {
    const own = { ...protocol([{ path: 'team.question', payloadKey: 'question' }]), targetSource: 'MY_BRIEFING' };
    const { team, principal } = plannedRun(1, { protocols: [own] });
    team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1')] });
    const item = team.agent(team.associates('WM_1')[0] ?? principal).inbox.items[0]?.item;
    expect(item).toMatchObject({ source: 'MY_BRIEFING', ingestorParams: { no_handover: true } });
    expect(briefingOf(team, 'WM_1')).toMatchObject({ question: 'Which one?' });
    expect(briefingOf(team, 'WM_1')).not.toHaveProperty('module_details');
  });

  test('reports a condition that failed as a warning of the run', () => {
    const own = protocol([{ path: 'team.question', payloadKey: 'question', condition: condition('params.nothing - 1 > 0') }]);
    const { team, principal } = plannedRun(1, { protocols: [own] });
    expect(team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1')] }).suspended).toBe(true);
    expect(team.events.filter((event) => event.type === 'note.add')).toMatchObject([
      { level: 'warning', code: 'CONDITION_FAILED' },
    ]);
  });

  test('that cannot be built is a failed preparation, and its sibling starts (D1.15, D1.16)', () => {
    const { team, principal } = plannedRun(3);
    let deep: JsonObject = {};
    for (let level = 0; level < 300; level += 1) deep = { deep };
    team.emit({ type: 'module.update', moduleId: 'WM_3', patch: { deliverables: deep } });
    const bad = assignment('WM_1', { inherit_deliverables_from: ['WM_3'] });
    const call = team.call(principal, 'dispatch_submodules', { assignments: [bad, assignment('WM_2')] });
    expect(team.module('WM_1')).toMatchObject({ status: 'pending', assignee_history: [] });
    team.end(team.associates('WM_2')[0] ?? principal, 'success');
    expect(team.result(call.callId).data).toMatchObject({
      status: 'PARTIAL_SUCCESS_SOME_PREP_FAILED',
      failed_preparation_details: [{ input: bad, reason: expect.stringContaining('the briefing could not be built') as string }],
    });
  });
});
