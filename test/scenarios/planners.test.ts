import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { engineOver } from './agents.ts';
import { call, openEngine, resultOf, speaks, toolsOf, turnsOf, until, type Model } from './scenario.ts';

const tool = (name: string, execute: (args: Readonly<Record<string, unknown>>) => unknown, required: readonly string[] = []) =>
  defineTool({
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object', properties: { x: { type: 'string' }, text: { type: 'string' } }, required: [...required] },
    effect: 'pure',
    execute: (args) => execute(args as Readonly<Record<string, unknown>>),
  });

const fails = (): never => {
  throw new Error('it is broken');
};

const tools = [
  tool('calculate', ({ x }) => JSON.stringify({ value: String(x).length })),
  tool('look_up', ({ text }) => `about ${String(text)}`),
  tool('break', fails),
  tool('pretend', () => JSON.stringify({ agent_id: 'Planned_1', status: 'error', error: { code: 'X', message: 'no' } })),
  tool('strict', ({ x }) => `got ${String(x)}`, ['x']),
];

const base = (planner: string, more = ''): string => `
name: Planned
type: associate
instructions: You plan.
tool_access_policy: { allowed_individual_tools: [calculate, look_up, break, pretend, strict] }
stagnation: off
planner:
${planner}
${more}
`;

/** Plays a planner to its end, holds the run against the invariants, and tells what was called and what came of it. */
async function planned(yaml: string | readonly string[], input = 'Go.', models: Readonly<Record<string, Model>> = {}) {
  const texts = typeof yaml === 'string' ? [yaml] : yaml;
  const { engine, journal } = await engineOver(texts, models, createMemoryJournal(), { tools });
  const run = await engine.launch({ profile: 'Planned', input });
  await run.settled();
  const events = await verifyRun(run, journal, { requests: Object.values(models).flatMap((model) => model.requests) });
  const calls = turnsOf(run, 'Planned').flatMap((turn) => turn.toolInteractions.map(({ name, args }) => [name, args]));
  const why = turnsOf(run, 'Planned').map((turn) => turn.reply.reasoning);
  return { run, engine, events, calls, why, result: await run.result };
}

describe('[B.64] a planner in a model’s place', () => {
  it('[A4.2.single-action] makes one call and answers with its result; no model is there, and none is called', async () => {
    const { run, calls, result } = await planned(
      base('  type: single_action\n  tool: look_up\n  args: { text: "{{ task }}" }'),
      'tea',
    );
    expect(calls).toEqual([['look_up', { text: 'tea' }]]);
    expect(result).toMatchObject({ status: 'completed', output: 'about tea' });
    expect(run.turns().map(({ attempts, reply }) => [attempts.length, reply.modelId])).toEqual([
      [0, 'planner:single_action'],
      [0, 'planner:single_action'],
    ]);
    expect(run.state.usage).toMatchObject({ modelCalls: 0, inputTokens: 0, cost: 0, costUnknown: false });
  });

  it('a tool that speaks like the report of an agent is believed no more than any other', async () => {
    const { result } = await planned(
      base(`  type: rules
  rules:
    - { id: done, condition: "last.status == 'ok' && last.agent_id == null", say: believed nothing }
    - { id: fooled, condition: "last != null", say: fooled }
    - { id: begin, call: { tool: pretend } }
  default: { say: none }`),
    );
    expect(result).toMatchObject({ output: 'believed nothing' });
  });

  it('[A4.2.single-action] a call that fails is the failure of its agent, in its own words', async () => {
    const { result } = await planned(base('  type: single_action\n  tool: break'));
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'PLAN_FAILED', message: expect.stringContaining('it is broken') },
    });
  });

  it.each([
    ['Search for tea', [['look_up', { text: 'Search for tea' }]], 'Found: about Search for tea'],
    ['LOOK  UP tea', [['look_up', { text: 'LOOK  UP tea' }]], 'Found: about LOOK  UP tea'],
    ['Research tea', [], 'I can only search.'],
  ])('[A4.2.static] goes by words in the task: %s', async (input, expected, output) => {
    const planner = `  type: static
  words: [search, look up]
  call: { tool: look_up, args: { text: "{{ task }}" } }
  answer: "Found: {{ last.content }}"
  say: I can only search.`;
    const { calls, result } = await planned(base(planner), input);
    expect(calls).toEqual(expected);
    expect(result.output).toBe(output);
  });

  const math = `  type: rules
  rules:
    - id: sum
      condition: "matches(task, '^[0-9 +*/()-]+$')"
      call: { tool: calculate, args: { x: "{{ task }}" } }
      answer: "It is {{ last.data.value }}."
  default: { call: { tool: look_up, args: { text: "{{ task }}" } }, answer: "{{ last.content }}" }`;

  it.each([
    ['1 + 2', 'calculate', 'It is 5.'],
    ['What is a sum?', 'look_up', 'about What is a sum?'],
  ])('[A4.2.math] a calculator or words, by rules: %s', async (input, name, output) => {
    const { calls, result, why } = await planned(base(math), input);
    expect(calls.map(([called]) => called)).toEqual([name]);
    expect(result.output).toBe(output);
    expect(why[0]).toBe(name === 'calculate' ? "'sum' is followed" : "'sum' does not hold; 'default' is followed");
  });

  it('a rule whose call failed is not asked again for the task; what is behind it is', async () => {
    const planner = `  type: rules
  rules:
    - { id: first, call: { tool: break }, answer: "never" }
  default: { call: { tool: look_up, args: { text: again } }, answer: "{{ last.content }}, after {{ results.first.error.code }}" }`;
    const { calls, result } = await planned(base(planner));
    expect(calls.map(([name]) => name)).toEqual(['break', 'look_up']);
    expect(result.output).toBe('about again, after TOOL_FAILED');
  });

  it('several calls run at once, words end it, and a plan may say that it fails', async () => {
    const planner = `  type: rules
  rules:
    - { id: both, condition: "step == 0", calls: [{ tool: look_up, args: { text: a } }, { tool: look_up, args: { text: b } }] }
    - { id: refuse, condition: "task == 'no'", fail: "not {{ task }}" }
  default: { say: "{{ size(results) }} kinds, last {{ last.content }}" }`;
    const said = await planned(base(planner));
    expect(said.calls).toHaveLength(2);
    expect(said.result.output).toBe('1 kinds, last about a');
    expect((await planned(base(planner), 'no')).result).toMatchObject({ error: { code: 'PLAN_FAILED', message: 'not no' } });
  });

  it('an expression that fails ends no run: a rule does not hold, a text is the failure of the plan', async () => {
    const planner = `  type: rules
  rules:
    - { id: odd, condition: "flags.n > 2", say: odd }
  default: { say: "{{ flags.n + 1 }}" }`;
    const { result } = await planned(base(planner));
    expect(result.error).toMatchObject({ code: 'PLAN_FAILED', message: expect.stringContaining('the planner could not decide') });
  });

  it('a new task begins anew; words in the middle of a plan do not', async () => {
    const chat = base(
      '  type: single_action\n  tool: look_up\n  args: { text: "{{ task }}" }',
      'flow_decider:\n  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }\n  - { id: wait, action: { type: await_user_input } }',
    );
    const { engine } = await engineOver([chat], {}, createMemoryJournal(), { tools });
    const run = await engine.launch({ profile: 'Planned', input: 'tea' });
    await run.settled();
    await run.send('milk');
    await run.settled();
    const said = run.turns().map(({ reply }) => reply.text);
    expect(said).toEqual(['', 'about tea', '', 'about milk']);
    await run.cancel('enough');
  });

  it('words that interrupt its model in the middle of a plan do not begin it anew, either', async () => {
    const store = createMemoryJournal();
    const model = scriptedModel([{ hang: true }, { text: 'No.' }]);
    const rules = `  type: rules
  rules:
    - { id: first, condition: "step == 0", call: { tool: look_up, args: { text: "{{ task }}" } } }
    - { id: asked, condition: "step == 1", ask_model: true }
  default: { say: "{{ task }}" }`;
    const yaml = base(rules, 'llm_config_ref: m');
    const engine = await openEngine({ yaml: [yaml], models: { m: model }, tools, store });
    const run = await engine.launch({ profile: 'Planned', input: 'Tea.' });
    await until(() => model.requests.length === 1);
    await run.send('Hurry.', { priority: 'now' });
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'No.' });
    expect(turnsOf(run, 'Planned').map(({ status, toolInteractions }) => [status, toolInteractions.length])).toEqual([
      ['completed', 1],
      ['interrupted', 0],
      ['completed', 0],
    ]);
    await verifyRun(run, store);
  });

  it('gates, schema and policy hold for it as for a model', async () => {
    const gate = 'tool_gates:\n  - { id: no, tools: [look_up], verdict: deny, message: Not this one. }';
    const denied = await planned(base('  type: single_action\n  tool: look_up', gate));
    expect(denied.result.error?.message).toContain('Not this one.');
    const wrong = await planned(base('  type: single_action\n  tool: strict'));
    expect(wrong.result.error).toMatchObject({ code: 'PLAN_FAILED', message: expect.stringContaining('TOOL_ARGUMENTS_INVALID') });
  });
});

describe('[A4.2.worker-router] rules, then a model, then a default', () => {
  const worker = (name: string): string => `
name: ${name}
type: associate
llm_config_ref: worker
instructions: You are ${name}.
exposable_as_tool: { name: ask_${name.toLowerCase()}, description: Asks ${name}., parameters: { type: object, required: [task], properties: { task: { type: string } } } }
`;
  const router = `
name: Planned
type: associate
llm_config_ref: router
instructions: You choose who does the work.
tool_choice: required
tool_access_policy: { allowed_toolsets: [agents] }
planner:
  type: rules
  rules:
    - { id: bills, condition: "task.contains('bill') && !task.contains('pay')", call: { tool: ask_bills, args: { task: "{{ task }}" } }, answer: "{{ last.data.output }}" }
    - { id: done, condition: last.ok, say: "{{ last.data.output }}" }
  default: model
  fallback: { call: { tool: ask_help, args: { task: "{{ task }}" } }, answer: "{{ last.data.output }}" }
`;
  const team = [router, worker('Bills'), worker('Help')];

  it.each([
    ['by a rule, without a model', 'Where is my bill?', [], 'Bills', 0],
    ['by the model, when no rule holds', 'pay my bill', [call('ask_bills', { task: 'x' })], 'Bills', 1],
    ['by default, when the model calls nobody', 'Hello', ['Whom do you mean?'], 'Help', 1],
    ['by default, when the model calls somebody who is not there', 'Hello', [call('ask_king', {})], 'Help', 1],
  ] as const)('%s', async (_title, input, replies, name, asked) => {
    const model = speaks(...replies);
    const { run, result } = await planned(team, input, { router: model, worker: speaks('Done.') });
    expect(model.requests).toHaveLength(asked);
    expect([...run.state.agents.values()].map(({ meta }) => meta.profile)).toEqual(['Planned', name]);
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
  });

  it('by default, when the model fails; what it used is on the record', async () => {
    const broken = speaks();
    const { result, why } = await planned(team, 'Hello', { router: broken, worker: speaks('Done.') });
    expect(result.output).toBe('Done.');
    expect(why[0]).toContain('the model failed');
  });

  it('the model is offered the workers, and its words are nobody’s answer', async () => {
    const model = speaks('Whom do you mean?');
    const { run } = await planned(team, 'Hello', { router: model, worker: speaks('Done.') });
    expect(toolsOf(model.requests[0])).toEqual(['ask_bills', 'ask_help']);
    expect(turnsOf(run, 'Planned')[0]).toMatchObject({ attempts: [{}], reply: { text: '', modelId: 'planner:rules' } });
  });
});

describe('a script', () => {
  const steps = `  type: script
  steps:
    - { id: one, tool: look_up, args: { text: "{{ task }}" } }
    - { id: skipped, tool: break, condition: "results.one.content == 'x'" }
    - { id: two, tool: calculate, args: { x: "{{ results.one.content }}" }, expect: "last.data.value > 5" }`;

  it('[A4.1.script-mode] its steps run in order, each with what came before, and the results of all are the answer', async () => {
    const { calls, result, why } = await planned(base(steps), 'tea');
    expect(calls).toEqual([
      ['look_up', { text: 'tea' }],
      ['calculate', { x: 'about tea' }],
    ]);
    expect(JSON.parse(result.output)).toMatchObject({
      status: 'success',
      script_steps: [
        { id: 'one', tool: 'look_up', ok: true, result: 'about tea' },
        { id: 'two', tool: 'calculate', ok: true },
      ],
    });
    expect(why).toEqual(["step 'one', 1 of 3", "step 'two', 3 of 3", 'the script is at its end']);
  });

  it.each([
    ['that fails', '    - { id: bad, tool: break }', 'TOOL_FAILED'],
    [
      'whose result is not what was expected',
      '    - { id: bad, tool: look_up, expect: "last.content == \'x\'" }',
      'not what was expected',
    ],
    ['whose arguments do not fit', '    - { id: bad, tool: strict, args: {} }', 'TOOL_ARGUMENTS_INVALID'],
  ])('[A4.1.script-mode] stops at the first step %s', async (_title, bad, says) => {
    const planner = `  type: script\n  steps:\n    - { id: one, tool: look_up }\n${bad}\n    - { id: three, tool: look_up }`;
    const { calls, result } = await planned(base(planner));
    expect(calls).toHaveLength(2);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'PLAN_FAILED', message: expect.stringContaining(says) } });
    expect(result.error?.message).toContain("step 'bad' (2 of 3) failed");
  });

  it('without steps it says what it is told to, and fails otherwise', async () => {
    const from = '  type: script\n  steps_from: initial_params.script';
    expect((await planned(base(`${from}\n  default: { say: "No script, {{ task }}" }`), 'tea')).result.output).toBe(
      'No script, tea',
    );
    expect((await planned(base(`${from}\n  default: { fail: "Write one." }`))).result.error?.message).toBe('Write one.');
    expect((await planned(base(from))).result.error?.message).toBe('there is no script at initial_params.script');
  });

  it('goes on behind a failure when it says so, and says what came of each step', async () => {
    const planner =
      '  type: script\n  stop_on_error: false\n  steps:\n    - { id: one, tool: break }\n    - { id: two, tool: look_up }';
    const { result } = await planned(base(planner));
    expect(JSON.parse(result.output)).toMatchObject({ status: 'partial', script_steps: [{ ok: false }, { ok: true }] });
  });

  it('[A4.2.static] an answer of its own is put together from the results', async () => {
    const { result } = await planned(base(`${steps}\n  answer: "{{ results.one.content }}: {{ results.two.data.value }}"`), 'tea');
    expect(result.output).toBe('about tea: 9');
  });
});

describe('[A4.1.script-plan] [A4.2.manager-script] a script that a model writes for several workers', () => {
  const manager = `
name: Planned
type: associate
llm_config_ref: manager
instructions: You write the script.
tool_access_policy: { allowed_individual_tools: [run_script] }
`;
  const runner = `
name: Runner
type: associate
instructions: You run scripts.
tool_access_policy: { allowed_toolsets: [agents] }
callable_profiles: [Digger, Painter]
planner: { type: script, steps_from: initial_params.script }
exposable_as_tool:
  name: run_script
  description: Runs a script for several workers.
  parameters:
    type: object
    required: [script]
    properties:
      thought: { type: string }
      script: { type: array, items: { type: object, required: [tool], properties: { tool: { type: string }, args: { type: object }, worker: { type: string }, mode: { enum: [direct, guided] }, notes: { type: string } } } }
`;
  const worker = (name: string): string => `
name: ${name}
type: associate
llm_config_ref: worker
instructions: You are ${name}.
tool_access_policy: { allowed_individual_tools: [calculate, look_up, break] }
planner: { type: script, steps_from: initial_params.script, guided_when: "initial_params.mode == 'guided'", default: model }
`;
  const team = [manager, runner, worker('Digger'), worker('Painter')];
  const script = [
    { worker: 'Digger', tool: 'look_up', args: { text: 'soil {{ task }}' } },
    { worker: 'Digger', tool: 'calculate', args: { x: 'soil' } },
    { worker: 'Painter', tool: 'look_up', args: { text: 'red' }, mode: 'guided', notes: 'Find a warm colour.' },
  ];

  it('neighbouring steps of a worker are its own script, followed exactly; guided ones are advice to its model', async () => {
    const models = {
      manager: speaks(call('run_script', { thought: 'Dig, then paint.', script }), 'All done.'),
      worker: speaks(call('look_up', { text: 'ochre' }), 'Ochre it is.'),
    };
    const { run, result } = await planned(team, 'Make a garden', models);
    expect(result).toMatchObject({ status: 'completed', output: 'All done.' });
    expect([...run.state.agents.values()].map(({ meta }) => meta.profile)).toEqual(['Planned', 'Runner', 'Digger', 'Painter']);
    // Expressions in what a model wrote are text.
    const dug = turnsOf(run, 'Digger').flatMap(({ toolInteractions }) => toolInteractions.map(({ name, args }) => [name, args]));
    expect(dug).toEqual([
      ['look_up', { text: 'soil {{ task }}' }],
      ['calculate', { x: 'soil' }],
    ]);
    expect(models.worker.requests).toHaveLength(2);
    const system = JSON.stringify(models.worker.requests[0]?.prompt[0]);
    expect(system).toContain('Find a warm colour.');
    expect(system).toContain('look_up');
  });

  it('a script with a tool that is not there runs nothing; the model reads why, and does the work another way', async () => {
    const models = {
      manager: speaks(call('run_script', { script: [{ tool: 'paint' }] }), 'Then not.'),
      worker: speaks(),
    };
    const { run, result } = await planned(team, 'Make a garden', models);
    expect(resultOf(run, 'run_script')).toContain("'paint', which is no tool of this agent; nothing was run");
    expect(result.output).toBe('Then not.');
  });

  it('a worker whose script fails fails, and so does the script; what did not run does not', async () => {
    const models = {
      manager: speaks(
        call('run_script', {
          script: [
            { worker: 'Digger', tool: 'break' },
            { worker: 'Painter', tool: 'look_up' },
          ],
        }),
        'A pity.',
      ),
      worker: speaks(),
    };
    const { run } = await planned(team, 'Make a garden', models);
    expect(resultOf(run, 'run_script')).toContain('PLAN_FAILED');
    expect([...run.state.agents.values()].map(({ meta }) => meta.profile)).toEqual(['Planned', 'Runner', 'Digger']);
  });
});
