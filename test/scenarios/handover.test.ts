import { describe, expect, it } from 'vitest';
import { loadProfiles } from '../../src/index.ts';
import { agentOf, call, play, promptOf, speaks, turnsOf } from './scenario.ts';
import { assignment, dispatch, finish, launch, partner, plan, principal, worker, workers } from './team.ts';

const toAssociate = `
protocol_name: principal_to_associate_briefing
version: "1.0"
description: What a worker is told.
context_parameters:
  type: object
  x-handover-title: Your work
  required: [module_id_to_assign, assignment_specific_instructions]
  properties:
    assignment_specific_instructions: { type: string, x-handover-title: What to do }
    module_id_to_assign: { type: string, x-handover-title: Your module }
inheritance:
  - from_source: { path: "team.work_modules.{{module_id}}", replace: { module_id: params.module_id_to_assign } }
    as_payload_key: module_details
    x-handover-title: The module
  - from_source: { path: "team.work_modules.{{id}}.context_archive", replace: { id: state.current_action.parameters.module_id_to_assign } }
    as_payload_key: earlier
    x-handover-title: Earlier attempts
  - from_source: { path_to_iterate: "team.work_modules.{{id}}.context_archive[-1].messages", iterate_on: { id: params.inherit_messages_from } }
    as_payload_key: inherited_messages
    x-handover-title: What others did
  - from_source: { path: team.shared.secret }
    as_payload_key: secret
    condition: team.shared.tell == true
target_inbox_item: { source: AGENT_STARTUP_BRIEFING }
`;

const toPrincipal = `
protocol_name: partner_to_principal_initial_briefing
context_parameters:
  type: object
  properties:
    initial_briefing_for_principal: { type: object, x-handover-title: From the partner, properties: { user_query: { type: string, x-handover-title: The question } } }
inheritance:
  - { from_source: { path: team.work_modules }, as_payload_key: current_plan, x-handover-title: The plan so far }
  - { from_source: { path: state.messages }, as_payload_key: conversation, x-handover-title: The conversation }
target_inbox_item: { source: AGENT_STARTUP_BRIEFING }
`;

describe('[B.59] A1.11 handover protocols', () => {
  it('[A1.11.yaml] name, parameters with titles, inheritance and target, checked at load', async () => {
    const load = async (text: string): Promise<string> =>
      await loadProfiles({ files: [{ path: 'handover_protocols/p.yaml', text }] }, { known: {} }).then(
        ({ protocols }) => [...protocols.keys()].join(),
        (error: Error) => error.message,
      );
    expect(await load(toAssociate)).toBe('principal_to_associate_briefing');
    expect(await load(toPrincipal.replace('inheritance:', 'context_inheritance:'))).toMatch(
      /p\.yaml:\d+:\d+: unknown key .*context_inheritance.*[\s\S]*inheritance/,
    );
    expect(await load(toPrincipal.replace('path: team.work_modules', 'path: team.wrok_modules'))).toContain('work_modules');
    expect(
      await load(toAssociate.replace('{ module_id: params.module_id_to_assign }', '{ other: params.module_id_to_assign }')),
    ).toContain('module_id');
  });

  it('[D1.3] [A1.11.inheritance] plain paths, paths with replacements and iterated paths really arrive in the child’s prompt', async () => {
    const model = workers();
    const second = assignment('WM_2', 'Go on.', { inherit_messages_from: ['WM_1'] });
    const boss = speaks(
      plan('brew', 'pour'),
      dispatch(assignment('WM_1', 'Brew it.')),
      dispatch(second),
      dispatch(assignment('WM_1', 'Brew it better.')),
      finish(),
    );
    await play({ yaml: [principal, worker, toAssociate], models: { principal: boss, worker: model } });
    const [first, next, rework] = model.requests.map((request) => promptOf(request));
    expect(first).toContain('## Your work\n* **What to do:** Brew it.\n');
    expect(first).toContain('* **Your module:** WM_1');
    expect(first).toContain('* **The module:**');
    expect(first).toContain('* **Description:** About brew.');
    expect(first).not.toContain('Earlier attempts');
    expect(next).toContain('* **What others did:**');
    expect(next).toContain('(calls finish_flow with');
    expect(rework).toContain('* **Earlier attempts:**');
    expect(rework).toContain('Worked.');
  });

  it('[A1.11.inheritance] a rule with a condition inherits only when it holds', async () => {
    const tells = `${principal}pre_turn_observers:
  - id: secret
    condition: state.turn_count == 2
    action:
      type: update_state
      updates:
        - { operation: set, path: team.shared.tell, value: true }
        - { operation: set, path: team.shared.secret, value: The pot is cracked. }
`;
    const model = workers();
    const boss = speaks(plan('one'), dispatch(assignment('WM_1')), dispatch(assignment('WM_1')), finish());
    await play({ yaml: [tells, worker, toAssociate], models: { principal: boss, worker: model } });
    expect(model.requests.map((request) => promptOf(request).includes('The pot is cracked.'))).toEqual([false, true]);
  });

  it('[A1.11.filter] briefings are not handed on with the messages', async () => {
    const model = workers();
    const boss = speaks(
      plan('one', 'two'),
      dispatch(assignment('WM_1', 'For your eyes only.')),
      dispatch(assignment('WM_2', 'Next.', { inherit_messages_from: ['WM_1'] })),
      finish(),
    );
    await play({ yaml: [principal, worker, toAssociate], models: { principal: boss, worker: model } });
    const second = promptOf(model.requests[1]);
    expect(second).toContain('(calls finish_flow');
    expect(second).not.toContain('For your eyes only.');
  });

  it('[A1.11.output] one item with data and a schema that orders and titles it', async () => {
    const run = await play({
      yaml: [principal, worker, toAssociate],
      models: { principal: speaks(plan('one'), dispatch(assignment('WM_1')), finish()), worker: workers() },
    });
    const [input] = turnsOf(run, 'Worker')[0]?.inputs ?? [];
    expect(input).toMatchObject({
      source: 'AGENT_STARTUP_BRIEFING',
      ingestor: 'protocol_aware',
      from: 'Principal_1',
      payload: {
        data: {
          assignment_specific_instructions: 'Do it.',
          module_id_to_assign: 'WM_1',
          module_details: { module_id: 'WM_1', status: 'ongoing' },
        },
        schema_for_rendering: {
          properties: {
            assignment_specific_instructions: { 'x-handover-title': 'What to do' },
            module_details: { 'x-handover-title': 'The module' },
          },
        },
      },
    });
    expect(agentOf(run, 'Worker').initialParams).toMatchObject({ assignment_specific_instructions: 'Do it.' });
  });

  it('[D1.4] context shared by all assignments reaches every child', async () => {
    for (const protocols of [[], [toAssociate]]) {
      const model = workers();
      const boss = speaks(
        plan('one', 'two'),
        call('dispatch_submodules', {
          assignments: [assignment('WM_1'), assignment('WM_2')],
          shared_context_for_all_assignments: 'We love tea.',
        }),
        finish(),
      );
      await play({ yaml: [principal, worker, ...protocols], models: { principal: boss, worker: model } });
      expect(model.requests.map((request) => promptOf(request).includes('We love tea.'))).toEqual([true, true]);
    }
  });

  it('[A1.11.two-protocols] the partner’s briefing brings question, plan and conversation to the principal', async () => {
    const lead = speaks(finish());
    await play({
      yaml: [partner, principal, worker, toPrincipal],
      models: { partner: speaks(plan('goal'), launch('Green or black?'), 'Begun.', 'Done.'), principal: lead, worker: workers() },
      input: 'I like tea.',
    });
    const prompt = promptOf(lead.requests[0]);
    for (const part of [
      '* **From the partner:**',
      '* **The question:** Green or black?',
      '* **The plan so far:**',
      'About goal.',
      '* **The conversation:**',
      'I like tea.',
    ])
      expect(prompt).toContain(part);
  });

  it('[A1.11.two-protocols] without protocol files the built-in ones do the same', async () => {
    const lead = speaks(dispatch(assignment('WM_1', 'Brew.')), finish());
    const model = workers();
    await play({
      yaml: [partner, principal, worker],
      models: { partner: speaks(plan('goal'), launch('Green?'), 'Begun.', 'Done.'), principal: lead, worker: model },
      input: 'I like tea.',
    });
    for (const part of ['Green?', 'About goal.', 'I like tea.']) expect(promptOf(lead.requests[0])).toContain(part);
    for (const part of ['Brew.', 'About goal.', 'Worker of WM_1']) expect(promptOf(model.requests[0])).toContain(part);
  });
});
