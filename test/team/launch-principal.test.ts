import { describe, expect, test } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { assignment } from './planned-run.ts';
import { TeamRun, type TeamRunOptions } from './team-run.ts';
import { plainProfile as profile } from '../support/plain-profile.ts';

const briefing = { user_query: 'Which database?', notes_from_partner: 'Small team.' };

function launch(team: TeamRun, changes: JsonObject = {}) {
  return team.call(team.partner, 'launch_principal', {
    iteration_mode: 'start_fresh',
    initial_briefing_for_principal: briefing,
    ...changes,
  });
}

function planned(options: TeamRunOptions = {}): TeamRun {
  const team = new TeamRun(options);
  team.call(team.partner, 'manage_work_modules', {
    actions: ['A', 'B'].map((name) => ({ action: 'create', name, description: name })),
  });
  return team;
}

function launchedId(team: TeamRun): AgentId {
  const id = team.run.latestOfType.get('principal');
  if (id === undefined) throw new Error('no principal');
  return id;
}

describe('a fresh launch', () => {
  test('starts a principal in the background, which tells its launcher when it is done', () => {
    const team = planned();
    const result = launch(team);
    const id = launchedId(team);
    expect(result.data).toMatchObject({ status: 'launched', agent_id: id, iteration: 1 });
    expect(result.suspended).toBe(false);
    expect(team.agent(id).meta).toMatchObject({
      profile: 'Principal',
      parentAgentId: team.partner,
      depth: 1,
      notify: { agentId: team.partner, source: 'PRINCIPAL_COMPLETED' },
      callId: undefined,
    });
    expect(team.agent(id).turn.flowId).toBe('flow_1');
    expect(team.agent(id).initialParams).toEqual({ initial_briefing_for_principal: briefing });
  });

  test('briefs it with what the partner wrote, the plan, and the conversation so far', () => {
    const team = planned();
    team.say(team.partner, 'I will ask the team.');
    launch(team);
    const item = team.agent(launchedId(team)).inbox.items[0]?.item;
    expect(item).toMatchObject({
      source: 'AGENT_STARTUP_BRIEFING',
      ingestorParams: { no_handover: true },
      payload: {
        data: {
          initial_briefing_for_principal: briefing,
          current_work_modules: { WM_1: { name: 'A' }, WM_2: { name: 'B' } },
          inherited_partner_messages: [{ role: 'assistant', content: 'I will ask the team.' }],
        },
      },
    });
  });

  test("follows the run's own protocol", () => {
    const team = planned({
      protocols: [
        {
          name: 'partner_to_principal_initial_briefing',
          version: '1',
          description: '',
          contextParameters: { type: 'object', properties: { initial_briefing_for_principal: { type: 'object' } } },
          inheritance: [{ path: 'team.question', payloadKey: 'question' }],
          targetSource: 'AGENT_STARTUP_BRIEFING',
          source: { file: 'p.yaml', line: 1, column: 1 },
        },
      ],
    });
    launch(team);
    expect(team.agent(launchedId(team)).inbox.items[0]?.item.payload).toMatchObject({
      data: { question: 'Which one?', initial_briefing_for_principal: briefing },
    });
  });

  test('is ignored while nothing is left to be done', () => {
    const team = new TeamRun();
    expect(launch(team)).toMatchObject({ isError: false, data: { status: 'ignored_empty_plan' } });
    team.call(team.partner, 'manage_work_modules', {
      actions: [
        { action: 'create', name: 'A', description: 'A' },
        { action: 'status_change', module_id: 'WM_1', new_status: 'completed' },
      ],
    });
    expect(launch(team).data['status']).toBe('ignored_empty_plan');
    expect(team.run.latestOfType.has('principal')).toBe(false);
  });

  test('is ignored while a principal is running', () => {
    const team = planned();
    launch(team);
    const result = launch(team);
    expect(result).toMatchObject({ isError: false, data: { status: 'ignored_principal_running', agent_id: launchedId(team) } });
    expect(result.outcome).toMatchObject({ events: [] });
  });

  test('needs a briefing', () => {
    const team = planned();
    const result = team.call(team.partner, 'launch_principal', { iteration_mode: 'start_fresh' });
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining('initial_briefing_for_principal is missing') as string,
    });
  });

  test('takes the named profile, or any active one of that type', () => {
    const lead = profile('Lead', { type: 'principal' });
    const named = planned({ profiles: [lead] });
    launch(named, { profile: 'Lead' });
    expect(named.agent(launchedId(named)).meta.profile).toBe('Lead');
    const any = planned({ profiles: [lead, profile('Principal', { type: 'principal', isActive: false })] });
    launch(any);
    expect(any.agent(launchedId(any)).meta.profile).toBe('Lead');
    expect(launch(planned({ profiles: [lead] }), { profile: 'Laed' })).toMatchObject({
      isError: true,
      text: expect.stringContaining(
        '"Laed" is no active profile of type principal; did you mean Lead? There are: Principal, Lead.',
      ) as string,
    });
  });

  test('keeps the chosen team where dispatch and profiles read it, and checks its names', () => {
    const team = planned();
    const refused = launch(team, { confirmed_associate_profiles: ['Researcher', 'Wrietr', 'Partner'] });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('there is no profile "Wrietr"; did you mean Writer?');
    expect(refused.text).toContain('profile Partner is not available for staffing');
    expect(team.run.team.shared).toEqual({});
    launch(team, { confirmed_associate_profiles: ['Researcher'] });
    expect(team.run.team.shared).toEqual({ profiles_list: ['Researcher'] });
  });

  test('keeps to the limit on depth', () => {
    expect(launch(planned({ limits: { maxDepth: 0 } })).text).toContain('limit maxDepth');
  });
});

describe('a forced relaunch', () => {
  test('ends the running principal and everything below it, deepest first, and frees its modules', () => {
    const team = planned({ maxParallel: 1 });
    launch(team);
    const old = launchedId(team);
    team.call(old, 'dispatch_submodules', { assignments: [assignment('WM_1'), assignment('WM_2')] });
    const below = ['WM_1', 'WM_2'].flatMap((id) => team.associates(id));
    const result = launch(team, { force_terminate_and_relaunch: true });
    expect(result.data['status']).toBe('launched');
    expect(launchedId(team)).not.toBe(old);
    const ends = team.events.flatMap((event) => (event.type === 'agent.end' ? [[event.agentId, event.outcome]] : []));
    expect(ends).toEqual([...below, old].map((id) => [id, 'cancelled']));
    for (const id of ['WM_1', 'WM_2']) {
      expect(team.module(id)).toMatchObject({ status: 'pending_review', assignee_history: [{ outcome: 'cancelled' }] });
    }
    expect(team.run.team.dispatchHistory.map((record) => record.status)).toEqual(['CANCELLED', 'CANCELLED']);
    const data = team.agent(launchedId(team)).inbox.items[0]?.item.payload;
    expect(data).toMatchObject({ data: { current_work_modules: { WM_1: { status: 'pending_review' } } } });
  });

  test('changes nothing when the new launch is refused', () => {
    const team = planned();
    launch(team);
    const old = launchedId(team);
    launch(team, { force_terminate_and_relaunch: true, profile: 'Nobody' });
    expect(team.agent(old).status).not.toBe('ended');
    team.call(team.partner, 'manage_work_modules', {
      actions: ['WM_1', 'WM_2'].map((module_id) => ({ action: 'status_change', module_id, new_status: 'deprecated' })),
    });
    expect(launch(team, { force_terminate_and_relaunch: true }).data['status']).toBe('ignored_empty_plan');
    expect(team.agent(old).status).not.toBe('ended');
  });
});

describe('a launch that continues', () => {
  const again = {
    iteration_mode: 'continue_from_previous',
    new_directives_for_iteration: { user_query_adjustment: 'Only open source', additional_notes: 'by Friday' },
  };

  test('sends the last principal into another iteration, briefed again and told what is new', () => {
    const team = planned();
    launch(team);
    const id = launchedId(team);
    team.say(id, 'My plan.');
    team.end(id, 'success');
    const result = team.call(team.partner, 'launch_principal', again);
    expect(result.data).toMatchObject({ status: 'launched', agent_id: id, iteration: 2 });
    const agent = team.agent(id);
    expect(agent).toMatchObject({
      status: 'ready',
      work: { iteration: 2 },
      history: { messages: [] },
      result: { outcome: undefined },
    });
    expect(agent.history.archived).toHaveLength(1);
    expect(agent.initialParams).toMatchObject({
      initial_briefing_for_principal: briefing,
      new_directives_for_iteration: again.new_directives_for_iteration,
    });
    expect(agent.inbox.items.map(({ item }) => item)).toMatchObject([
      { source: 'AGENT_STARTUP_BRIEFING', payload: { data: { initial_briefing_for_principal: briefing } } },
      {
        source: 'PARTNER_DIRECTIVE',
        payload: { directive_type: 'NEW_ITERATION', content: 'Only open source', additional_notes: 'by Friday', iteration: 2 },
      },
    ]);
  });

  test('needs a principal that ran before', () => {
    const result = planned().call('Partner_1' as AgentId, 'launch_principal', again);
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('use iteration_mode start_fresh') as string });
  });

  test('leaves a running one alone unless forced', () => {
    const team = planned();
    launch(team);
    const id = launchedId(team);
    expect(team.call(team.partner, 'launch_principal', again).data['status']).toBe('ignored_principal_running');
    team.call(id, 'dispatch_submodules', { assignments: [assignment('WM_1')] });
    expect(team.call(team.partner, 'launch_principal', { ...again, force_terminate_and_relaunch: true }).data).toMatchObject({
      status: 'launched',
      agent_id: id,
      iteration: 2,
    });
    expect(team.agent(id).status).toBe('ready');
    expect(team.module('WM_1').status).toBe('pending_review');
  });
});
