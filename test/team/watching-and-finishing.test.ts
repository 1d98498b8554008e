import { describe, expect, test } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { createTeamTools } from '../../src/team/create-team-tools.ts';
import { assignment, plannedRun } from './planned-run.ts';
import { TeamRun } from './team-run.ts';
import { plainProfile as profile } from '../support/plain-profile.ts';

describe('the team tools', () => {
  test('have the names, toolsets and effects that profiles and recovery rely on', () => {
    expect(createTeamTools().map(({ name, toolset, effect, endsFlow }) => [name, toolset, effect, endsFlow])).toEqual([
      ['manage_work_modules', 'planning_tools', 'idempotent', false],
      ['dispatch_submodules', 'dispatch_tools', 'idempotent', false],
      ['launch_principal', 'launch_tools', 'idempotent', false],
      ['get_principal_status', 'monitoring_tools', 'pure', false],
      ['send_directive', 'intervention_tools', 'idempotent', false],
      ['finish_flow', 'flow_control_end', 'idempotent', true],
      ['generate_message_summary', 'flow_control_summary', 'pure', false],
      ['generate_markdown_report', 'reporting_tools', 'pure', false],
      ['call_agent', 'agents', 'idempotent', false],
      ['call_agents', 'agents', 'idempotent', false],
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuse a cap of %d', (maxParallel) => {
    expect(() => createTeamTools({ maxParallel })).toThrow(CadreError);
  });

  test('check arguments against their schemas', () => {
    const team = new TeamRun();
    const check = (name: string, args: JsonObject) => team.tool(name).check(args).ok;
    expect(check('manage_work_modules', { actions: [] })).toBe(false);
    expect(
      check('manage_work_modules', { actions: [{ action: 'status_change', module_id: 'WM_1', new_status: 'in_progress' }] }),
    ).toBe(false);
    expect(check('dispatch_submodules', { assignments: [{ module_id_to_assign: 'WM_1' }] })).toBe(false);
    expect(check('dispatch_submodules', { assignments: [assignment('WM_1', { anything_a_protocol_adds: 1 })] })).toBe(true);
    expect(check('send_directive', { directive_type: 'SHOUT', payload: { user_facing_message_for_principal: 'x' } })).toBe(false);
    expect(check('finish_flow', {})).toBe(true);
  });
});

describe('get_principal_status', () => {
  test('says that there is none', () => {
    const team = new TeamRun();
    expect(team.call(team.partner, 'get_principal_status', {}).data).toMatchObject({
      status: 'not_launched',
      work_modules: { total: 0 },
      note: expect.stringContaining('Do not call this in a loop') as string,
    });
  });

  test('tells how a running one stands', () => {
    const { team, principal } = plannedRun(3, { maxParallel: 1 });
    team.call(principal, 'dispatch_submodules', { assignments: [assignment('WM_1'), assignment('WM_2')] }, 'Off they go.');
    const { data, outcome } = team.call(team.partner, 'get_principal_status', {});
    expect(data).toMatchObject({
      status: 'running',
      agent_id: principal,
      agent_status: 'awaiting_tools',
      iteration: 1,
      last_activity: { tools: ['dispatch_submodules'], last_words: 'Off they go.' },
      associates: { working: 1, held: 1, ended: 0 },
      work_modules: {
        total: 3,
        by_status: { pending: 1, ongoing: 2, completed: 0 },
        modules: [{ module_id: 'WM_1', name: 'Module 1', status: 'ongoing' }, {}, {}],
      },
    });
    expect(outcome).toMatchObject({ events: [] });
  });

  test('tells how an ended one came out', () => {
    const { team, principal } = plannedRun(1);
    team.end(principal, 'error', { error: 'no key', output: 'nothing' });
    expect(team.call(team.partner, 'get_principal_status', {}).data).toMatchObject({
      status: 'ended',
      outcome: 'error',
      output: 'nothing',
      error: 'no key',
    });
  });
});

const directive = (changes: JsonObject = {}, directive_type = 'ADD_CONTEXT'): JsonObject => ({
  directive_type,
  payload: { user_facing_message_for_principal: 'Only EU data.', ...changes },
});

describe('send_directive', () => {
  test('puts a directive into the inbox of the running principal', () => {
    const { team, principal } = plannedRun(1);
    const args = directive({ target_task_id: 'WM_1', internal_notes_for_principal_llm: 'GDPR' }, 'MODIFY_SUB_TASK');
    expect(team.call(team.partner, 'send_directive', args).data).toEqual({ status: 'sent', agent_id: principal });
    expect(team.agent(principal).inbox.items.map(({ item }) => item)).toMatchObject([
      {
        source: 'PARTNER_DIRECTIVE',
        payload: { directive_type: 'MODIFY_SUB_TASK', content: 'Only EU data.', target_task_id: 'WM_1', internal_notes: 'GDPR' },
      },
    ]);
  });

  test('is refused when nobody would read it', () => {
    const team = new TeamRun();
    expect(team.call(team.partner, 'send_directive', directive())).toMatchObject({
      isError: true,
      text: expect.stringContaining('launch_principal') as string,
    });
    const ended = plannedRun(1);
    ended.team.end(ended.principal, 'success');
    expect(ended.team.call(ended.team.partner, 'send_directive', directive())).toMatchObject({
      isError: true,
      text: expect.stringContaining('has ended (success)') as string,
    });
  });

  test('does not reach the asking agent itself', () => {
    const { team, principal } = plannedRun(1);
    expect(team.call(principal, 'send_directive', directive()).isError).toBe(true);
  });

  test('is refused for a module that is missing or unknown', () => {
    const { team } = plannedRun(1);
    expect(team.call(team.partner, 'send_directive', directive({}, 'MODIFY_SUB_TASK')).text).toContain(
      'MODIFY_SUB_TASK needs target_task_id; work modules: WM_1',
    );
    expect(team.call(team.partner, 'send_directive', directive({ target_task_id: 'WM_7' })).text).toContain(
      'there is no work module "WM_7"',
    );
  });
});

describe('finish_flow', () => {
  test('ends the agent as a success with what it hands in', () => {
    const { team, principal } = plannedRun(0);
    const result = team.call(principal, 'finish_flow', {
      reason: 'all done',
      summary: 'It is so.',
      deliverables: { report: 'report.md' },
    });
    expect(result.text).toBe('Finished: all done');
    expect(team.agent(principal)).toMatchObject({
      status: 'ended',
      result: { outcome: 'success', output: 'It is so.' },
      deliverables: { report: 'report.md' },
    });
  });

  test.each<[string, readonly string[], JsonObject, string, JsonObject]>([
    ['its last words', ['The answer is 42.'], {}, 'The answer is 42.', { primary_summary: 'The answer is 42.' }],
    ['the summary it gives', ['Done.'], { summary: 'It is 42.' }, 'It is 42.', { primary_summary: 'It is 42.' }],
    [
      'the JSON summary it wrote before',
      ['{"primary_summary":"42","sources":1}', 'Finishing now.'],
      {},
      'Finishing now.',
      { primary_summary: '42', sources: 1 },
    ],
    ['nothing when it never said a word', [], {}, '', {}],
  ])('takes deliverables that are not given from %s', (_, words, args, output, deliverables) => {
    const { team, principal } = plannedRun(0);
    for (const text of words) team.say(principal, text);
    team.call(principal, 'finish_flow', args);
    expect(team.agent(principal)).toMatchObject({ result: { outcome: 'success', output: output }, deliverables });
  });

  test('words said in the same reply count', () => {
    const { team, principal } = plannedRun(0);
    team.call(principal, 'finish_flow', {}, 'Here it is.');
    expect(team.agent(principal).result.output).toBe('Here it is.');
  });

  test('goes on when the deliverables do not fit the schema of the profile', () => {
    const strict = profile('Strict', {
      checkDeliverables: (value) =>
        typeof value['report'] === 'string'
          ? { ok: true, args: value }
          : { ok: false, errors: [{ path: '/report', message: 'must be a string' }] },
    });
    const team = new TeamRun({ profiles: [strict] });
    const agentId = team.start('Strict', team.partner);
    const refused = team.call(agentId, 'finish_flow', { deliverables: { report: 1 } });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('do not fit the schema of profile Strict: /report: must be a string');
    expect(refused.outcome).not.toHaveProperty('end');
    expect(team.agent(agentId).status).not.toBe('ended');
    team.call(agentId, 'finish_flow', { deliverables: { report: 'r.md' } });
    expect(team.agent(agentId)).toMatchObject({ status: 'ended', result: { outcome: 'success' } });
  });
});

describe('the instruction generators', () => {
  test('ask for a summary as JSON that the engine can read back', () => {
    const { team, principal } = plannedRun(0);
    const { text } = team.call(principal, 'generate_message_summary', { current_associate_findings: 'Found in a.md:3' });
    expect(text).toContain('"primary_summary"');
    expect(text).toContain('no tool call');
    expect(text).toContain('Found in a.md:3');
  });

  test('ask for a report with all its parts, then the end', () => {
    const { team, principal } = plannedRun(0);
    const { text } = team.call(principal, 'generate_markdown_report', { principal_final_synthesis: 'Use SQLite.' });
    const parts = [
      '# Title',
      '## Key Points',
      '## Overview',
      '## Detailed Analysis',
      '## Conclusion',
      '## Key Citations',
      'finish_flow',
      'Use SQLite.',
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });
});
