import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import {
  agentOf,
  agentsOf,
  call,
  dataOf,
  messagesOf,
  openEngine,
  play,
  promptOf,
  resultOf,
  say,
  speaks,
  turnsOf,
  until,
  type Model,
} from './scenario.ts';
import { assignment, dispatch, finish, launch, partner, plan, principal, refused, worker, workers } from './team.ts';

const yaml = [partner, principal, worker];

interface Models {
  readonly partner: readonly (ScriptedReply | string)[];
  readonly principal: Model;
  readonly worker?: Model;
}

/** Plays a team to where nothing runs any more. */
async function team(models: Models): Promise<{ readonly run: Run; readonly boss: Model }> {
  const boss = speaks(...models.partner);
  const run = await play({ yaml, models: { partner: boss, principal: models.principal, worker: models.worker ?? workers() } });
  return { run, boss };
}

/** A model that stops at its n-th call until it is let go. */
function held(
  at: number,
  replies: readonly ScriptedReply[],
): { readonly model: Model; readonly reached: Promise<void>; readonly go: () => void } {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const model = scriptedModel(async (_request, index) => {
    if (index === at) {
      reached.resolve();
      await gate.promise;
    }
    return replies[index] ?? say('(nothing more to say)');
  });
  return { model, reached: reached.promise, go: gate.resolve };
}

describe('[B.60] A1.10 launching the principal', () => {
  it('[A1.10.start-fresh] runs in the background with a briefing; the launch answers at once', async () => {
    const lead = speaks(finish('The report.'));
    const { run, boss } = await team({
      partner: [plan('goal'), launch('Which tea?'), 'Begun.', 'Here is the report.'],
      principal: lead,
    });
    expect(dataOf(run, 'launch_principal')).toMatchObject({ status: 'launched', agent_id: 'Principal_2', iteration: 1 });
    const prompt = promptOf(lead.requests[0]);
    expect(prompt).toContain('## Agent Briefing');
    expect(prompt).toContain('Which tea?');
    expect(prompt).toContain('Be quick.');
    expect(agentOf(run, 'Principal').meta).toMatchObject({ parentAgentId: 'Partner_1', depth: 1 });
    expect(boss.requests).toHaveLength(4);
    expect(run.state.status).toBe('awaiting');
  });

  it('[A1.10.start-fresh] without an open module nothing is launched; an unknown associate is refused', async () => {
    const { run } = await team({ partner: [launch(), 'No plan.'], principal: speaks() });
    expect(dataOf(run, 'launch_principal')).toMatchObject({ status: 'ignored_empty_plan' });
    expect(agentsOf(run, 'Principal')).toHaveLength(0);
    const other = await team({
      partner: [plan('goal'), launch('x', { confirmed_associate_profiles: ['Workr'] }), 'Hm.'],
      principal: speaks(),
    });
    expect(resultOf(other.run, 'launch_principal')).toContain('did you mean Worker?');
  });

  it('[A1.10.start-fresh] the confirmed team is the one that can be staffed', async () => {
    const second = worker.replace('name: Worker', 'name: Helper');
    const lead = speaks(dispatch(assignment('WM_1'), assignment('WM_2', 'x', { agent_profile_logical_name: 'Helper' })), finish());
    const run = await play({
      yaml: [...yaml, second],
      models: {
        partner: speaks(plan('a', 'b'), launch('x', { confirmed_associate_profiles: ['Worker'] }), 'Begun.', 'Done.'),
        principal: lead,
        worker: workers(),
      },
    });
    expect(resultOf(run, 'dispatch_submodules')).toContain('profile Helper is not in the team chosen for this run');
    expect(run.state.team.shared).toMatchObject({ profiles_list: ['Worker'] });
  });

  it('[A1.10.already-running] a second launch is ignored while one runs', async () => {
    const lead = held(0, [finish('Report.')]);
    const engine = await openEngine({
      yaml,
      models: {
        partner: speaks(plan('goal'), launch(), launch('Again?'), 'It runs.', 'Done.'),
        principal: lead.model,
        worker: workers(),
      },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await lead.reached;
    await until(() => agentOf(run, 'Partner').status === 'awaiting_input');
    expect(dataOf(run, 'launch_principal', 1)).toMatchObject({ status: 'ignored_principal_running', agent_id: 'Principal_2' });
    lead.go();
    await run.settled();
    expect(agentsOf(run, 'Principal')).toHaveLength(1);
  });

  it('[A1.10.already-running] [B.73] [B.60] force ends the running one with everything below it, then launches anew', async () => {
    const lead = scriptedModel((_request, index) => (index === 0 ? dispatch(assignment('WM_1')) : finish('Second report.')));
    const forced = { force_terminate_and_relaunch: true };
    const engine = await openEngine({
      yaml,
      models: {
        partner: speaks(plan('goal'), launch(), 'Begun.', launch('Anew.', forced), 'Begun anew.', 'Done.'),
        principal: lead,
        worker: workers({ 'Do it.': { hang: true } }),
      },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await until(() => agentsOf(run, 'Worker')[0]?.status === 'in_turn' && agentOf(run, 'Partner').status === 'awaiting_input');
    await run.send('Start over.');
    await run.settled();
    expect(agentsOf(run, 'Principal').map((agent) => [agent.meta.agentId, agent.result.outcome])).toEqual([
      ['Principal_2', 'cancelled'],
      ['Principal_4', 'success'],
    ]);
    expect(agentOf(run, 'Worker')).toMatchObject({ status: 'ended', result: { outcome: 'cancelled' } });
    expect(run.state.team.workModules['WM_1']?.status).toBe('pending_review');
    expect(turnsOf(run, 'Principal')[0]?.status).toBe('cancelled');
    expect(
      run
        .turns()
        .at(-1)
        ?.inputs.filter((input) => input.source === 'PRINCIPAL_COMPLETED'),
    ).toHaveLength(1);
  });

  it('[A1.10.continue-from-previous] archives the history, counts the iteration and brings the new directives', async () => {
    const lead = speaks(finish('First report.'), finish('Second report.'));
    const again = call('launch_principal', {
      iteration_mode: 'continue_from_previous',
      new_directives_for_iteration: { user_query_adjustment: 'Only green tea.', additional_notes: 'Shorter.' },
    });
    const run = await play({
      yaml,
      models: {
        partner: speaks(plan('goal'), launch(), 'Begun.', again, 'Begun again.', 'Here.'),
        principal: lead,
        worker: workers(),
      },
    });
    expect(dataOf(run, 'launch_principal', 1)).toMatchObject({ status: 'launched', agent_id: 'Principal_2', iteration: 2 });
    const agent = agentOf(run, 'Principal');
    expect(agent).toMatchObject({ work: { iteration: 2 }, result: { outcome: 'success', output: 'Second report.' } });
    expect(agent.history.archived).toHaveLength(1);
    const second = messagesOf(lead.requests[1]);
    expect(second.map((line) => line.split(':')[0])).toEqual(['user', 'user']);
    expect(second.join('\n')).toContain('### Directive from Partner');
    expect(second.join('\n')).toContain('*   **Instruction**: Only green tea.');
    expect(second.join('\n')).toContain('Shorter.');
    expect(second.join('\n')).not.toContain('Finished.');
    expect(turnsOf(run, 'Principal').map((turn) => turn.turnId)).toEqual(['Principal_2.t1', 'Principal_2.t2']);
  });

  it('[A1.10.continue-from-previous] without a previous one it is refused', async () => {
    const { run } = await team({
      partner: [plan('goal'), call('launch_principal', { iteration_mode: 'continue_from_previous' }), 'Hm.'],
      principal: speaks(),
    });
    expect(resultOf(run, 'launch_principal')).toContain('use iteration_mode start_fresh');
  });

  it('[A1.10.completion] [A1.6.causality] the partner is told how it ended, and the principal no longer counts as running', async () => {
    const { run, boss } = await team({
      partner: [plan('goal'), launch(), 'Begun.', 'Here.'],
      principal: speaks(finish('The report.', { pages: 3 })),
    });
    const [item] = run.turns().at(-1)?.inputs ?? [];
    expect(item).toMatchObject({
      source: 'PRINCIPAL_COMPLETED',
      from: 'Principal_2',
      payload: { agent_id: 'Principal_2', status: 'success', summary: 'The report.', error: null, deliverables: { pages: 3 } },
    });
    expect(promptOf(boss.requests[3])).toContain('The report.');
    expect(turnsOf(run, 'Partner').at(-1)?.sourceTurnIds).toEqual(['Partner_1.t3', 'Principal_2.t1']);
    const failed = await team({ partner: [plan('goal'), launch(), 'Begun.', 'It failed.'], principal: scriptedModel([refused]) });
    expect(failed.run.turns().at(-1)?.inputs[0]?.payload).toMatchObject({
      status: 'error',
      error: expect.stringContaining('not today'),
    });
    expect(failed.run.state.status).toBe('awaiting');
  });
});

describe('[B.61] A1.8 watching and steering the principal', () => {
  it('[A1.8.send-directive] reaches the principal’s next turn, before everything else that is new', async () => {
    const lead = held(0, [plan('more'), finish('Report.')]);
    const directive = call('send_directive', {
      directive_type: 'ADD_CONTEXT',
      payload: { user_facing_message_for_principal: 'Only EU data.', internal_notes_for_principal_llm: 'The user is in Bern.' },
    });
    const engine = await openEngine({
      yaml,
      models: {
        partner: speaks(plan('goal'), launch(), 'Begun.', directive, 'Sent.', 'Here.'),
        principal: lead.model,
        worker: workers(),
      },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await lead.reached;
    await until(() => agentOf(run, 'Partner').status === 'awaiting_input');
    await run.send('Only EU data, please.');
    await until(() => agentOf(run, 'Partner').status === 'awaiting_input' && turnsOf(run, 'Partner').length === 5);
    lead.go();
    await run.settled();
    const second = turnsOf(run, 'Principal')[1];
    expect(second?.inputs.map((input) => input.source)).toEqual(['TOOL_RESULT', 'PARTNER_DIRECTIVE']);
    expect(second?.inputs[1]?.content).toBe(
      '### Directive from Partner\n*   **Directive Type**: ADD_CONTEXT\n*   **Instruction**: Only EU data.\n*   **Internal Notes**: The user is in Bern.',
    );
  });

  it('[A1.8.send-directive] is refused when nobody is there to read it, or the module is unknown', async () => {
    const send = (type: string, more = {}): ScriptedReply =>
      call('send_directive', { directive_type: type, payload: { user_facing_message_for_principal: 'x', ...more } });
    const { run } = await team({
      partner: [send('ADD_CONTEXT'), plan('goal'), launch(), send('MODIFY_SUB_TASK', { target_task_id: 'WM_7' }), 'ok', 'ok', 'ok'],
      principal: held(9, [finish()]).model,
    });
    expect(resultOf(run, 'send_directive')).toContain('No principal has been launched');
    expect(resultOf(run, 'send_directive', 1)).toMatch(/no work module "WM_7"|has ended/);
  });

  it('[A1.8.principal-status] before, during and after, with the modules and a word against polling', async () => {
    const lead = held(1, [plan('more'), finish('Report.')]);
    const status = call('get_principal_status');
    const engine = await openEngine({
      yaml,
      models: {
        partner: speaks(status, plan('goal'), launch(), 'Begun.', status, 'So far.', 'Here.', status, 'Done.'),
        principal: lead.model,
        worker: workers(),
      },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await lead.reached;
    await until(() => agentOf(run, 'Partner').status === 'awaiting_input');
    await run.send('How far?');
    await until(() => turnsOf(run, 'Partner').length === 6 && agentOf(run, 'Partner').status === 'awaiting_input');
    lead.go();
    await run.settled();
    await run.send('And now?');
    await run.settled();
    expect(dataOf(run, 'get_principal_status')).toMatchObject({ status: 'not_launched', note: expect.stringContaining('loop') });
    expect(dataOf(run, 'get_principal_status', 1)).toMatchObject({
      status: 'running',
      agent_status: 'in_turn',
      turns: 2,
      work_modules: { total: 2, by_status: { pending: 2 } },
    });
    expect(dataOf(run, 'get_principal_status', 2)).toMatchObject({ status: 'ended', outcome: 'success', output: 'Report.' });
  });

  it('[A1.7.partner-loop] the partner waits for whichever comes first, the user or the principal, again and again', async () => {
    const lead = held(0, [finish('Report.')]);
    const engine = await openEngine({
      yaml,
      models: {
        partner: speaks(plan('goal'), launch(), 'Begun.', 'Still at it.', 'Here it is.', 'You are welcome.'),
        principal: lead.model,
        worker: workers(),
      },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await lead.reached;
    await until(() => agentOf(run, 'Partner').status === 'awaiting_input');
    await run.send('Well?');
    await until(() => turnsOf(run, 'Partner').length === 4 && agentOf(run, 'Partner').status === 'awaiting_input');
    lead.go();
    await run.settled();
    await run.send('Thanks.');
    await run.settled();
    expect(
      turnsOf(run, 'Partner')
        .slice(3)
        .map((turn) => [turn.inputs[0]?.source, turn.reply.text]),
    ).toEqual([
      ['USER_PROMPT', 'Still at it.'],
      ['PRINCIPAL_COMPLETED', 'Here it is.'],
      ['USER_PROMPT', 'You are welcome.'],
    ]);
  });
});
