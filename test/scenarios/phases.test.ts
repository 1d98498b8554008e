import { moduleChanges } from '../../src/core/patches/module-changes.ts';
import { describe, expect, it } from 'vitest';
import type { Commit, Run } from '../../src/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { assertJournal, createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { sampleOwner } from '../contracts/journal-samples.ts';
import { breathe } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';
import {
  agentOf,
  agentsOf,
  call,
  dataOf,
  openEngine,
  play,
  promptOf,
  resultOf,
  speaks,
  toolsOf,
  turnsOf,
  until,
  type Model,
} from './scenario.ts';
import { finish, refused, workers } from './team.ts';

const planner = (more = '', toolset = 'phases'): string => `
name: Planner
type: principal
llm_config_ref: planner
instructions: You plan.
callable_profiles: [Finder, Writer]
tool_access_policy: { allowed_toolsets: [${toolset}, flow_control_end] }
${more}`;

const worker = (name: string): string => `
name: ${name}
type: associate
llm_config_ref: worker
description_for_human: Does what a ${name} does.
instructions: You are ${name}.
tool_access_policy: { allowed_toolsets: [flow_control_end] }
`;

const toolset = (settings: string): string => `
type: toolset
name: phases
settings: { ${settings} }
`;

const team = [worker('Finder'), worker('Writer'), worker('Stranger')];
const yaml = [planner(), ...team];

const plan = (...phases: readonly JsonObject[]): ScriptedReply => call('run_plan', { goal: 'A page about tea.', phases });

const statuses = (run: Run): readonly string[] => Object.values(run.state.team.workModules).map(({ status }) => status);

const phaseStates = (run: Run, index = 0): readonly unknown[] =>
  (dataOf(run, 'run_plan', index)['phases'] as readonly JsonObject[]).map(({ name, worker: who, status }) => [name, who, status]);

describe('a plan that the engine carries out', () => {
  it('[A4.1.phases] [B.65] phases in order, each handed what the one before brought; one answer, with a section each', async () => {
    const model = workers({
      'Find three teas': finish('Found.', { primary_summary: 'Assam, Sencha, Mate' }),
      'Write the page': finish('Wrote.', { primary_summary: 'The page is written.' }),
    });
    const boss = speaks(
      plan(
        { name: 'find', worker: 'Finder', goals: 'Find three teas.' },
        { name: 'write', worker: 'Writer', goals: 'Write the page.', notes: 'Keep it short.' },
      ),
      finish('Done.'),
    );
    const store = createMemoryJournal();
    const run = await play({ yaml, models: { planner: boss, worker: model }, store });
    expect(dataOf(run, 'run_plan')).toEqual({
      status: 'success',
      message: '2 of 2 phases succeeded.',
      summary: 'Assam, Sencha, Mate | The page is written.',
      phases: [
        { name: 'find', module_id: 'WM_1', worker: 'Finder', agent_id: 'Finder_2', status: 'completed' },
        { name: 'write', module_id: 'WM_2', worker: 'Writer', agent_id: 'Writer_3', status: 'completed' },
      ],
      results: {
        kind: 'sections',
        sections: [
          { worker: 'Finder', operation: 'find', summary: 'Assam, Sencha, Mate', result: 'Assam, Sencha, Mate' },
          { worker: 'Writer', operation: 'write', summary: 'The page is written.', result: 'The page is written.' },
        ],
      },
    });
    expect(turnsOf(run, 'Planner')).toHaveLength(2);
    const [first, second] = model.requests.map(promptOf);
    expect(first).toContain('A page about tea.');
    // A worker sees its own step, and what it builds on.
    expect(first).not.toContain('Write the page');
    expect(second).toContain('Keep it short.');
    expect(second).toContain('Assam, Sencha, Mate');
    expect(second).not.toContain('Find three teas');
    const events = await verifyRun(run, store, { requests: [...boss.requests, ...model.requests] });
    const moves = events.flatMap((event) => moduleChanges(event).map(({ moduleId, fields }) => [moduleId, fields.status]));
    expect(moves).toEqual([
      ['WM_1', 'pending'],
      ['WM_2', 'pending'],
      ['WM_1', 'ongoing'],
      ['WM_1', 'pending_review'],
      ['WM_1', 'completed'],
      ['WM_2', 'ongoing'],
      ['WM_2', 'pending_review'],
      ['WM_2', 'completed'],
    ]);
    expect(run.state.team.workModules['WM_2']).toMatchObject({ executor: 'Writer', depends_on: ['WM_1'] });
    expect(agentOf(run, 'Planner').values['run_plan']).toEqual({ plans: 1, phases: 2, status: 'success', iteration: 1 });
  });

  it('offers the workers the profile may call, and refuses a plan that is not one before anything begins', async () => {
    const wrong: readonly (readonly [JsonObject, string])[] = [
      [{}, 'a plan needs phases, or parallel_workers with a goal'],
      [{ phases: [{ name: 'a' }, { name: 'a' }] }, 'two phases are called "a"; give each a name of its own'],
      [
        { phases: [{ name: 'a', depends_on: ['b'] }, { name: 'b' }] },
        'phase "a" depends on "b", which is no earlier phase; earlier ones: none',
      ],
    ];
    const boss = speaks(
      ...wrong.map(([args]) => call('run_plan', args)),
      plan({ name: 'x', worker: 'Stranger' }),
      finish('I give up.'),
    );
    const run = await play({ yaml, models: { planner: boss, worker: workers() } });
    wrong.forEach(([, message], index) => expect(resultOf(run, 'run_plan', index)).toContain(`${message} Nothing has begun.`));
    const last = resultOf(run, 'run_plan', wrong.length);
    expect(last).toContain('Finder');
    expect(last).not.toContain('WM_');
    expect(statuses(run)).toEqual([]);
    expect(toolsOf(boss.requests[0])).toContain('run_plan');
    const tool = boss.requests[0]?.tools?.find(({ name }) => name === 'run_plan');
    expect(tool).toMatchObject({
      description: expect.stringContaining('- Finder: Does what a Finder does.') as string,
      inputSchema: { properties: { phases: { items: { properties: { worker: { enum: ['Finder', 'Writer'] } } } } } },
    });
  });

  it('the status of a step is how its agent ended (D2.10): after a failure nothing else begins, and nothing stays open', async () => {
    const boss = speaks(
      plan({ name: 'step one' }, { name: 'step two' }, { name: 'step three' }),
      plan({ name: 'step two again' }),
      finish('Enough.'),
    );
    const run = await play({ yaml, models: { planner: boss, worker: workers({ 'step two': refused }) } });
    expect(phaseStates(run)).toEqual([
      ['step one', 'Finder', 'completed'],
      ['step two', 'Finder', 'failed'],
      ['step three', 'Finder', 'not_started'],
    ]);
    expect(dataOf(run, 'run_plan')).toMatchObject({
      status: 'partial',
      message: '1 of 3 phases succeeded, 1 failed, 1 not begun.',
    });
    expect(statuses(run)).toEqual(['completed', 'pending_review', 'deprecated', 'pending_review']);
    expect(run.state.team.workModules['WM_3']?.review_info).toMatchObject({ trigger: 'plan_ended' });
    // A plan of which nothing succeeded is an error for the planner to act on.
    const second = turnsOf(run, 'Planner')[1]?.toolInteractions[0];
    expect(second).toMatchObject({ status: 'error' });
    expect(resultOf(run, 'run_plan', 1)).toContain('"status":"failed"');
  });

  it('phases that do not depend on each other run side by side under a cap, and go on without one that failed if they may', async () => {
    let atWork = 0;
    let most = 0;
    const busy = async (): Promise<ScriptedReply> => {
      atWork += 1;
      most = Math.max(most, atWork);
      await breathe();
      atWork -= 1;
      return finish('Worked.', { primary_summary: 'Worked.' });
    };
    const model = workers({ 'not today': refused, 'part ': busy, 'put together': busy });
    const boss = speaks(
      plan(
        ...['part 1', 'part 2', 'part 3', 'part 4'].map((name) => ({ name, depends_on: [] })),
        { name: 'not today', depends_on: [] },
        { name: 'after that', depends_on: ['not today'] },
        { name: 'put together', depends_on: ['part 1', 'part 4'], worker: 'Writer' },
      ),
      finish('Done.'),
    );
    const store = createMemoryJournal();
    const run = await play({
      yaml: [...yaml, toolset('max_parallel: 2, on_failure: continue')],
      models: { planner: boss, worker: model },
      store,
    });
    expect(phaseStates(run).map((state) => (state as readonly string[])[2])).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
      'failed',
      'not_started',
      'completed',
    ]);
    expect(most).toBe(2);
    expect(promptOf(model.requests.find((request) => promptOf(request).includes('put together')))).toContain('WM_4');
    await verifyRun(run, store);
  });

  it('several workers do the same at once; what they bring as lists becomes one table', async () => {
    const rows = (who: string): ScriptedReply => finish('Listed.', { rows: [{ tea: `${who} 1` }, { tea: `${who} 2` }] });
    const model = scriptedModel((request) => rows(JSON.stringify(request.prompt).includes('You are Finder') ? 'found' : 'written'));
    const boss = speaks(
      call('run_plan', { goal: 'List teas.', parallel_workers: ['Finder', 'Writer'], phases: [{ name: 'check' }] }),
      call('run_plan', { goal: 'List teas.', phases: [{ name: 'list', parallel_workers: ['Finder', 'Writer'] }] }),
      finish('Done.'),
    );
    const run = await play({ yaml, models: { planner: boss, worker: model } });
    expect(phaseStates(run)).toEqual([
      ['parallel_workers (Finder)', 'Finder', 'completed'],
      ['parallel_workers (Writer)', 'Writer', 'completed'],
      ['check', 'Finder', 'completed'],
    ]);
    expect(run.state.team.workModules['WM_3']?.depends_on).toEqual(['WM_1', 'WM_2']);
    expect(dataOf(run, 'run_plan', 1)['results']).toEqual({
      kind: 'table',
      operation: 'list',
      columns: ['worker', 'tea'],
      rows: [
        { worker: 'Finder', tea: 'found 1' },
        { worker: 'Finder', tea: 'found 2' },
        { worker: 'Writer', tea: 'written 1' },
        { worker: 'Writer', tea: 'written 2' },
      ],
    });
  });

  it('[B.66] a step is done by whom it names, by whom its text names, or by the usual one; a plan can be shown to all', async () => {
    const model = workers();
    const boss = speaks(
      plan(
        { name: 'first', worker: 'Writer' },
        { name: '[writer] second' },
        { name: 'third', goals: 'See [1], [finder].' },
        { name: 'last' },
      ),
      finish('Done.'),
    );
    const run = await play({
      yaml: [...yaml, toolset('default_executor: Writer, show_plan: true')],
      models: { planner: boss, worker: model },
    });
    expect(phaseStates(run)).toEqual([
      ['first', 'Writer', 'completed'],
      ['[writer] second', 'Writer', 'completed'],
      ['third', 'Finder', 'completed'],
      ['last', 'Writer', 'completed'],
    ]);
    expect(promptOf(model.requests[1])).toMatch(
      /1\. \[✓\] first\n\s*2\. \[→\] \[writer\] second\n\s*3\. \[ \] third\n\s*4\. \[ \] last/,
    );
  });
});

describe('who plans', () => {
  const manager = `
name: Manager
type: principal
llm_config_ref: manager
description_for_human: Splits its own phase.
instructions: You split your phase.
tool_choice: run_plan
callable_profiles: [Finder, Writer]
tool_access_policy: { allowed_toolsets: [steps] }
`;
  const steps = `
type: toolset
name: steps
kind: phases
settings: { ends: always }
`;

  it('[A4.2.strategic] [A4.2.decomposer] a model is held to a plan; a manager splits the phase it was given, and its result is the plan’s', async () => {
    const boss = speaks(
      call('run_plan', {
        goal: 'The fair of May.',
        phases: [
          { name: 'stalls', worker: 'Manager', goals: 'Find all stalls.' },
          { name: 'music', worker: 'Manager', goals: 'Find a band.' },
        ],
      }),
    );
    const managerModel = scriptedModel((request) =>
      promptOf(request).includes('Find all stalls.')
        ? call('steps_run_plan', { phases: [{ name: 'cheese' }, { name: 'bread', worker: 'Writer' }] })
        : call('steps_run_plan', { phases: [{ name: 'drums' }] }),
    );
    const model = workers({ cheese: finish('Cheese.', { primary_summary: 'A cheese stall.' }), drums: finish('Drums.') });
    const store = createMemoryJournal();
    const run = await play({
      yaml: [
        planner('tool_choice: run_plan').replace('[Finder, Writer]', '[Manager]'),
        manager.replace('tool_choice: run_plan', 'tool_choice: steps_run_plan'),
        ...team,
        steps,
        toolset('ends: always'),
      ],
      models: { planner: boss, manager: managerModel, worker: model },
      store,
    });
    expect(boss.requests[0]?.toolChoice).toEqual({ type: 'tool', toolName: 'run_plan' });
    expect(managerModel.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['tool', 'tool']);
    expect(run.state.outcome).toBe('success');
    // Each model was asked once: what the workers brought is handed up as it is.
    expect(turnsOf(run, 'Planner')).toHaveLength(1);
    expect(agentsOf(run, 'Manager').map(({ turn: { count: turnCount }, result: { outcome } }) => [turnCount, outcome])).toEqual([
      [1, 'success'],
      [1, 'success'],
    ]);
    expect(promptOf(managerModel.requests[0])).not.toContain('Find a band.');
    expect(promptOf(managerModel.requests[1])).toContain('A cheese stall.');
    expect(run.state.agents.get(run.state.rootAgentId ?? ('' as never))?.deliverables).toMatchObject({
      primary_summary: expect.stringContaining('A cheese stall.') as string,
      kind: 'sections',
      sections: [{ worker: 'Manager', operation: 'stalls', result: { kind: 'sections' } }, { operation: 'music' }],
    });
    await verifyRun(run, store);
  });

  it('a planner without a model hands in a plan as well, and ends with what the workers brought', async () => {
    const fixed = `
name: Fixed
type: principal
callable_profiles: [Finder, Writer]
tool_access_policy: { allowed_toolsets: [phases] }
planner:
  type: single_action
  tool: run_plan
  args: { goal: "{{ task }}", parallel_workers: [Finder, Writer] }
`;
    const model = workers();
    const run = await play({ yaml: [fixed, ...team, toolset('ends: always')], models: { worker: model }, input: 'List teas.' });
    expect(run.state.outcome).toBe('success');
    expect((await run.result).deliverables).toMatchObject({
      kind: 'sections',
      sections: [{ worker: 'Finder' }, { worker: 'Writer' }],
    });
    expect(model.requests).toHaveLength(2);
    expect(promptOf(model.requests[0])).toContain('List teas.');
  });

  it('[A4.3.follow-up] a plan that failed is followed by another one, up to so many, and success ends it', async () => {
    const settings = toolset('ends: on_success, max_plans: 3, max_phases: 4');
    const models = (replies: readonly ScriptedReply[]) => ({
      planner: speaks(...replies),
      worker: workers({ 'bad idea': refused }),
    });
    const bad = plan({ name: 'bad idea' });
    const forced = planner('tool_choice: run_plan');
    const good = await play({ yaml: [forced, ...team, settings], models: models([bad, plan({ name: 'good idea' })]) });
    expect(good.state.outcome).toBe('success');
    expect(agentOf(good, 'Planner').values['run_plan']).toEqual({ plans: 2, phases: 2, status: 'success', iteration: 1 });

    const bitter = await play({ yaml: [forced, ...team, settings], models: models([bad, bad, bad]) });
    expect(bitter.state.outcome).toBe('error');
    expect(agentOf(bitter, 'Planner').result.error).toMatchObject({
      code: 'AGENT_FAILED',
      message: '0 of 1 phases succeeded, 1 failed.',
    });

    const long = await play({
      yaml: [planner(), ...team, settings],
      models: models([bad, plan(...[1, 2, 3, 4].map((n) => ({ name: `idea ${n}` }))), finish('Enough.')]),
    });
    expect(resultOf(long, 'run_plan', 1)).toContain('has 4 phases and 3 more may be carried out (max_phases)');
  });
});

describe('a plan and what happens to its run', () => {
  const boss = (): Model =>
    scriptedModel((request) =>
      JSON.stringify(request.prompt).includes('phases succeeded')
        ? finish('Done.')
        : plan(
            { name: 'one' },
            { name: 'two a', depends_on: ['one'] },
            { name: 'two b', depends_on: ['one'] },
            { name: 'three', depends_on: ['two a', 'two b'] },
          ),
    );

  it('goes on after a crash at any write, begins no phase twice and is answered once', async () => {
    const commits: Commit[] = [];
    const store = createMemoryJournal();
    const append = store.append.bind(store);
    store.append = (lease, commit) => {
      commits.push(commit);
      return append(lease, commit);
    };
    const whole = await play({ yaml, models: { planner: boss(), worker: workers() }, store });
    expect(whole.state.outcome).toBe('success');
    expect(commits.length).toBeGreaterThan(4);
    for (let kept = 1; kept < commits.length; kept += 1) {
      const journal = createMemoryJournal();
      const lease = await journal.acquire(whole.id, sampleOwner('before'));
      for (const commit of commits.slice(0, kept)) await journal.append(lease, commit);
      await journal.release(lease);
      const engine = await openEngine({ yaml, models: { planner: boss(), worker: workers() }, store: journal });
      const run = await engine.resume(whole.id);
      await run.settled();
      expect(run.state.outcome).toBe('success');
      expect(statuses(run)).toEqual(['completed', 'completed', 'completed', 'completed']);
      expect(run.state.agents.size).toBe(5);
      const events = await journal.read(run.id);
      assertJournal(events);
      expect(events.filter((event) => event.type === 'tool.end' && event.agentId === 'Planner_1')).toHaveLength(2);
    }
  });

  it('is cancelled with everything below it, and leaves no module open', async () => {
    const hanging = workers({ 'two ': { hang: true } });
    const store = createMemoryJournal();
    const engine = await openEngine({ yaml, models: { planner: boss(), worker: hanging }, store });
    const run = await engine.launch({ profile: 'Planner', input: 'Go.' });
    await until(() => hanging.requests.length === 3);
    await run.cancel('enough');
    await run.settled();
    expect([...run.state.agents.values()].map(({ status, result: { outcome } }) => [status, outcome])).toEqual([
      ['ended', 'cancelled'],
      ['ended', 'success'],
      ['ended', 'cancelled'],
      ['ended', 'cancelled'],
    ]);
    expect(statuses(run)).toEqual(['completed', 'pending_review', 'pending_review', 'deprecated']);
    expect(run.state.team.dispatchHistory.map(({ status }) => status)).toEqual(['COMPLETED_SUCCESS', 'CANCELLED', 'CANCELLED']);
    assertJournal(await store.read(run.id));
  });

  it('can be cancelled at any write', async () => {
    for (let count = 1; count <= 6; count += 1) {
      const store = createMemoryJournal();
      const append = store.append.bind(store);
      let left = count;
      let cancelled: Promise<void> | undefined;
      const engine = await openEngine({ yaml, models: { planner: boss(), worker: workers() }, store });
      const run = await engine.launch({ profile: 'Planner', input: 'Go.' });
      store.append = (lease, commit) => {
        left -= 1;
        if (left === 0) cancelled = Promise.resolve().then(async () => await run.cancel('swept'));
        return append(lease, commit);
      };
      await run.settled();
      await cancelled;
      await run.settled();
      expect([...run.state.agents.values()].map(({ status }) => status)).not.toContain('in_turn');
      expect(statuses(run).filter((status) => status === 'ongoing' || status === 'pending')).toEqual([]);
      assertJournal(await store.read(run.id));
    }
  });
});
