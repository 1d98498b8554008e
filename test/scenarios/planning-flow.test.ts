import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, type Engine, type Run } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply, type ScriptedRequest } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { makeFolder } from '../files/temp-folder.ts';
import { readTeam } from './shipped-team.ts';
import { agentOf, call, dataOf, promptOf, systemOf, toolsOf, turnsOf, type Model } from './scenario.ts';

const executors = ['manus', 'swe', 'data_analysis', 'browser', 'sandbox'];

/** What the planner says in turn, and what executors do, by the words of their briefing. */
interface Words {
  readonly planner: readonly (ScriptedReply | string)[];
  readonly workers?: Readonly<Record<string, readonly ScriptedReply[]>>;
}

const isPlanner = (request: ScriptedRequest): boolean =>
  toolsOf(request).includes('run_plan') || systemOf(request).includes('# You plan');

/** One model for the whole team: the replies of an agent are told apart by its step. */
function teamModel({ planner, workers = {} }: Words): Model {
  const left = new Map(Object.entries(workers).map(([step, replies]) => [step, [...replies]]));
  const plans = [...planner];
  return scriptedModel((request) => {
    if (isPlanner(request)) {
      const next = plans.shift() ?? 'Nothing more.';
      return typeof next === 'string' ? { text: next } : next;
    }
    const step = [...left.keys()].find((name) => promptOf(request).includes(`Instructions for this assignment:** ${name}`));
    return (step === undefined ? undefined : left.get(step)?.shift()) ?? call('terminate', { status: 'success', message: 'Done.' });
  });
}

async function openFlow(model: Model, own: readonly string[] = [], workspace?: string): Promise<Engine> {
  const files = [
    ...(await readTeam('agent_profiles/openmanus')),
    ...own.map((text, index) => ({ path: `profiles/own-${index}.yaml`, text })),
  ];
  const engine = await createEngine({
    profiles: { files },
    models: { default: model },
    store: createMemoryJournal(),
    env: {},
    random: () => 0,
    ...(workspace === undefined ? {} : { workspace }),
  });
  onTestFinished(async () => await engine.close());
  return engine;
}

async function play(words: Words, own: readonly string[] = [], profile = 'planning_flow', workspace?: string) {
  const model = teamModel(words);
  const engine = await openFlow(model, own, workspace);
  const run = await engine.launch({ profile, input: 'Write a poem about tea, and count its lines.' });
  await run.settled();
  return { run, model };
}

const plan = (...phases: readonly JsonObject[]): ScriptedReply => call('run_plan', { goal: 'A poem about tea.', phases });
const done = (message: string, status = 'success'): ScriptedReply => call('terminate', { status, message });
const states = (run: Run, index = 0): readonly unknown[] =>
  (dataOf(run, 'run_plan', index)['phases'] as readonly JsonObject[]).map(({ worker, status }) => [worker, status]);

describe('the planning flow of openmanus', () => {
  it('[A2.4.planning-flow] a model plans, each step is carried out by the agent its text names, and a model words the end', async () => {
    const workspace = await makeFolder({});
    const { run, model } = await play(
      {
        planner: [
          plan(
            { name: 'Write the poem', goals: 'Write poem.txt.' },
            { name: '[SWE] Count the lines', goals: 'Count the lines of poem.txt.' },
          ),
          'The poem is in poem.txt and has two lines.',
        ],
        workers: {
          'Write poem.txt.': [
            call('write_file', { path: 'poem.txt', content: 'Steam and leaf,\nso brief.\n' }),
            done('poem.txt is written.'),
          ],
          'Count the lines of poem.txt.': [call('read_file', { path: 'poem.txt' }), done('It has 2 lines.')],
        },
      },
      [],
      'planning_flow',
      workspace,
    );
    expect(run.state.outcome).toBe('success');
    expect((await run.result).output).toBe('The poem is in poem.txt and has two lines.');
    expect(await readFile(path.join(workspace, 'poem.txt'), 'utf8')).toContain('so brief.');
    expect(states(run)).toEqual([
      ['manus', 'completed'],
      ['swe', 'completed'],
    ]);
    const [planner, ...others] = model.requests.filter(isPlanner);
    expect(planner?.toolChoice).toEqual({ type: 'tool', toolName: 'run_plan' });
    expect(others.map(({ toolChoice }) => toolChoice?.type)).toEqual(['none']);
    expect(promptOf(others[0])).toContain('Tell the user, in a few sentences');
    // An executor is shown where the plan stands, what came before, and its own step.
    const swe = model.requests.find((request) => toolsOf(request).includes('run_command'));
    expect(promptOf(swe)).toMatch(/1\. \[✓\] Write the poem\n\s*2\. \[→\] \[SWE\] Count the lines/);
    expect(promptOf(swe)).toContain('poem.txt is written.');
  });

  it('[A2.4.planning-flow] a step counts as its agent ended, the plan is mended for what is left, and the end says what was not done (D2.10)', async () => {
    const { run, model } = await play({
      planner: [
        plan({ name: 'one' }, { name: 'two', worker: 'swe' }, { name: 'three' }),
        plan({ name: 'two again', worker: 'browser' }),
        'One is done. Two could not be done.',
      ],
      workers: { two: [done('No compiler.', 'failure'), done('No page either.', 'failure')] },
    });
    expect(states(run)).toEqual([
      ['manus', 'completed'],
      ['swe', 'failed'],
      ['manus', 'not_started'],
    ]);
    expect(run.state.outcome).toBe('error');
    expect(agentOf(run, 'planning_flow').result.output).toBe('One is done. Two could not be done.');
    const again = model.requests.filter(isPlanner)[1];
    expect(again?.toolChoice?.type).toBe('auto');
    expect(promptOf(again)).toContain('Never say that something is done that is not.');
    expect(promptOf(again)).toContain('No compiler.');
  });

  it('a model that makes no plan is reminded and then fails: no plan is made up in its place (D2.10)', async () => {
    const { run } = await play({ planner: ['First I would analyse.', 'Then execute.', 'Then verify.'] });
    expect(run.state.outcome).toBe('error');
    expect(agentOf(run, 'planning_flow').result.error?.message).toContain('The model made no plan.');
    expect(run.state.agents.size).toBe(1);
    expect(turnsOf(run, 'planning_flow')).toHaveLength(3);
  });

  it('[A2.2.others] any agent can carry out steps, one of your own too; the whole has an hour', async () => {
    const own = [
      'name: my_flow\nbase_profile: planning_flow\ncallable_profiles: [poet, manus, swe, data_analysis, browser, sandbox]\n',
      'name: poet\nbase_profile: react_base\n',
    ];
    const { run } = await play(
      { planner: [plan(...['nobody', ...executors.map((name) => `[${name}] step`)].map((name) => ({ name }))), 'All done.'] },
      own,
      'my_flow',
    );
    expect(run.state.outcome).toBe('success');
    expect(states(run)).toEqual([['poet', 'completed'], ...executors.map((name) => [name, 'completed'])]);
    const shipped = await openFlow(teamModel({ planner: [] }));
    expect(shipped.profiles.profiles.get('planning_flow')?.limits).toMatchObject({ maxWallMs: 3_600_000 });
  });

  it('[A2.4.flow-factory] a flow is chosen by its name, and names that are none are refused with those there are', async () => {
    const engine = await openFlow(teamModel({ planner: [plan({ name: 'one' }), 'Done.'] }));
    await expect(engine.launch({ profile: 'planing_flow', input: 'Go.' })).rejects.toThrow(/planning_flow/);
    const run = await engine.launch({ profile: 'planning_flow', input: 'Go.' });
    await run.settled();
    expect(run.state).toMatchObject({ outcome: 'success', meta: { profile: 'planning_flow' } });
  });
});
