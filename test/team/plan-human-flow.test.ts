import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { readPlanBook } from '../../src/core/team/plan.ts';
import { plan as planIngestor } from '../../src/ingestors/plan.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { createEngine } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { changePlans } from '../../src/team/plan/change-plans.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';
import { makeFolder } from '../files/temp-folder.ts';

const call = (name: string, args: JsonObject = {}): ScriptedReply => ({ toolCalls: [{ name, args }] });
const plan = (args: JsonObject): ScriptedReply => call('manage_plan', args);

describe('the toolset plan', () => {
  const profile = `
tool_access_policy: { allowed_toolsets: [plan] }
system_prompt_construction:
  system_prompt_segments:
    - { id: rules, content: You work. }
    - { id: plan, type: state_value, source_state_path: state.values.plans, ingestor_id: plan, ingestor_params: { title: "# Your plan" } }
${waitsForUser}`;

  it('keeps a plan in state and shows it in the prompt from the next turn on', async () => {
    const { launch, model, journal } = await testEngine({
      profile,
      replies: [
        plan({ command: 'create', title: 'Tea', steps: ['boil water', 'pour'] }),
        plan({ command: 'mark_step', step: 1, step_status: 'completed', step_notes: 'took 3 minutes' }),
        plan({ command: 'mark_step', step: 2, step_status: 'in_progress' }),
        { text: 'Nearly.' },
      ],
    });
    const run = await launch();
    await run.settled();
    const shown = 'Plan plan_1: Tea\nProgress: 1 of 2 steps (50%)\n1. [✓] boil water\n   Notes: took 3 minutes\n2. [→] pour';
    expect(run.turns().at(-2)?.toolInteractions[0]?.content).toBe(`Step 2 is marked.\n\n${shown}`);
    const last = JSON.stringify(model.requests.at(-1)?.prompt);
    expect(last).toContain(JSON.stringify(`# Your plan\n${shown}`).slice(1, -1));
    expect(JSON.stringify(model.requests[0]?.prompt)).not.toContain('Your plan');
    await verifyRun(run, journal);
  });

  it('is shared by the team when the settings say so, and each agent has its own otherwise', async () => {
    const shared = await testEngine({
      profile: `tool_access_policy: { allowed_toolsets: [our] }\n${waitsForUser}`,
      files: [{ path: 'toolsets/our.yaml', text: 'type: toolset\nname: our\nkind: plan\nsettings: { scope: team }\n' }],
      replies: [call('our_manage_plan', { command: 'create', title: 'T', steps: ['a'] }), { text: 'ok' }],
    });
    const run = await shared.launch();
    await run.settled();
    expect(readPlanBook(run.state.team.shared['plans']).active).toBe('plan_1');
    expect([...run.state.agents.values()][0]?.values).toEqual({});
  });

  const steps = (args: JsonObject, state: JsonObject = {}): JsonObject => {
    const { book } = changePlans(readPlanBook(state), args);
    if (book === undefined) throw new Error('nothing changed');
    return book as unknown as JsonObject;
  };
  const made = steps({ command: 'create', plan_id: 'p', title: 'P', steps: ['a', 'b', 'c'] });

  it('[A2.3.planning] keeps the status of steps whose text is unchanged at its place (A2.3)', () => {
    const marked = steps(
      { command: 'mark_step', step: 2, step_status: 'completed' },
      steps({ command: 'mark_step', step: 3, step_status: 'blocked' }, made),
    );
    const { text } = changePlans(readPlanBook(marked), { command: 'update', steps: ['A', 'b', 'x', 'c'] });
    expect(text).toContain('1. [ ] A\n2. [✓] b\n3. [ ] x\n4. [ ] c');
    expect(changePlans(readPlanBook(marked), { command: 'update', title: 'Q' }).text).toContain(
      'Plan p: Q\nProgress: 1 of 3 steps (33%)',
    );
  });

  it('works at one plan at a time, lists, changes over and deletes', () => {
    const two = steps({ command: 'create', title: 'Second', steps: ['z'] }, made);
    expect(changePlans(readPlanBook(two), { command: 'list' }).text).toBe(
      'Plans:\n- p: P, 0 of 3 steps\n- plan_2 (active): Second, 0 of 1 steps',
    );
    const back = steps({ command: 'set_active', plan_id: 'p' }, two);
    expect(changePlans(readPlanBook(back), { command: 'get' }).text).toContain('Plan p: P');
    const left = steps({ command: 'delete', plan_id: 'p' }, back);
    expect(readPlanBook(left)).toMatchObject({ active: null, plans: { plan_2: { title: 'Second' } } });
    expect(planIngestor.ingest(left, {}, {} as never)).toBe('');
  });

  it.each<readonly [JsonObject, string]>([
    [{ command: 'get', plan_id: 'q' }, 'no plan q. Plans:\n- p (active)'],
    [{ command: 'delete' }, 'Give plan_id'],
    [{ command: 'mark_step', step: 4, step_status: 'completed' }, 'steps 1 to 3'],
    [{ command: 'mark_step', step: 1, step_status: 'done' }, 'not_started, in_progress, completed, blocked'],
    [{ command: 'create', plan_id: 'p', title: 'x', steps: ['a'] }, 'is a plan p already'],
    [{ command: 'create', title: 'x' }, 'needs a title and steps'],
    [{ command: 'get', plan_id: '__proto__' }, 'no plan __proto__'],
  ])('says what is wrong: %j', (args, message) => {
    expect(() => changePlans(readPlanBook(made), args)).toThrow(message);
  });

  it('takes whatever else stands in state for no plan', () => {
    for (const value of [null, 'x', [], { plans: [] }, { plans: { a: 1 } }, { active: 3, plans: {} }])
      expect(readPlanBook(value)).toEqual({ active: null, plans: {} });
    expect(() => changePlans(readPlanBook(null), { command: 'mark_step', step: 1 })).toThrow('There is no active plan');
  });
});

describe('the example of a clerk who works on files by a plan', () => {
  it('lists, plans, edits, marks and ends, on a real folder', async () => {
    const workspace = await makeFolder({ 'notes/todo.md': '# To do\n- call Ann\n- [x] pay rent\n' });
    const model = scriptedModel([
      call('list_files'),
      call('read_file', { path: 'notes/todo.md' }),
      plan({ command: 'create', title: 'Tidy the list', steps: ['remove what is done', 'write a summary'] }),
      plan({ command: 'mark_step', step: 1, step_status: 'in_progress' }),
      call('edit_file', { path: 'notes/todo.md', command: 'str_replace', old_str: '- [x] pay rent\n', new_str: '' }),
      {
        toolCalls: [
          { name: 'manage_plan', args: { command: 'mark_step', step: 1, step_status: 'completed' } },
          { name: 'write_file', args: { path: 'summary.md', content: 'One thing left.\n' } },
        ],
      },
      plan({ command: 'mark_step', step: 2, step_status: 'completed' }),
      { text: 'Removed one done thing; wrote summary.md.' },
    ]);
    await using engine = await createEngine({ profiles: 'examples/file-clerk', models: { default: model }, store: 'memory' });
    const run = await engine.launch({ profile: 'File_Clerk', input: 'Tidy my list.' }, { workspace });
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Removed one done thing; wrote summary.md.' });
    expect(await readFile(path.join(workspace, 'notes/todo.md'), 'utf8')).toBe('# To do\n- call Ann\n');
    expect(await readFile(path.join(workspace, 'summary.md'), 'utf8')).toBe('One thing left.\n');
    const results = run.turns().flatMap(({ toolInteractions }) => toolInteractions);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'ok'));
    expect(results[4]?.content).toContain('-- [x] pay rent');
    expect(JSON.stringify(model.requests.at(-1)?.prompt)).toContain('Progress: 2 of 2 steps (100%)');
  });
});

describe('the toolset human', () => {
  const profile = `tool_access_policy: { allowed_toolsets: [human] }\n${waitsForUser}`;

  it('[A2.3.ask-human] [B.72] asks with choices, refuses other answers, and hands the answer to the model', async () => {
    const { launch, journal } = await testEngine({
      profile,
      replies: [call('ask_human', { question: 'Red or blue?', choices: ['red', 'blue'] }), { text: 'Thanks.' }],
    });
    const run = await launch();
    await run.settled();
    const [pending] = run.pending;
    expect(pending).toMatchObject({ kind: 'question', message: 'Red or blue?', schema: { enum: ['red', 'blue'] } });
    await expect(run.answer(pending?.id ?? '', 'green')).rejects.toThrow('must be one of');
    await run.answer(pending?.id ?? '', 'blue');
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'ok', content: 'blue' });
    await verifyRun(run, journal);
  });

  it('asks for a free text, which may wait for a limited time only', async () => {
    const { launch, clock } = await testEngine({
      profile: `tool_access_policy: { allowed_toolsets: [quick] }\n${waitsForUser}`,
      files: [{ path: 'toolsets/quick.yaml', text: 'type: toolset\nname: quick\nkind: human\nsettings: { answer_within: 10m }\n' }],
      replies: [call('quick_ask_human', { question: 'Why?' }), { text: 'Then not.' }],
    });
    const run = await launch();
    await run.settled();
    expect(run.pending[0]).toMatchObject({ schema: { type: 'string' }, onExpire: 'deny' });
    await clock.advance(10 * 60_000);
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'denied' });
  });

  it('tells people something: a note on the record that whoever follows the run is shown', async () => {
    const { launch, journal } = await testEngine({ profile, replies: [call('notify', { message: 'Half way.' }), { text: 'ok' }] });
    const run = await launch();
    await run.settled();
    const events = await journal.read(run.id);
    expect(events.filter(({ type }) => type === 'note.add')).toMatchObject([
      { level: 'info', code: 'NOTICE', message: 'Half way.', agentId: 'Root_1' },
    ]);
  });
});

describe('the toolset flow', () => {
  const open = async (
    reply: ScriptedReply,
    more = '',
    files: { readonly path: string; readonly text: string }[] = [],
    toolset = 'flow',
  ) => {
    const opened = await testEngine({
      profile: `tool_access_policy: { allowed_toolsets: [${toolset}] }\n${more}`,
      replies: [reply, { text: 'still here' }],
      files,
    });
    const run = await opened.launch();
    await run.settled();
    return { run, ...opened };
  };

  it('[A3.terminate-and-answer] [B.26] submits an answer word for word', async () => {
    const { run, journal } = await open(call('submit_answer', { answer: ' 42\n', confidence: 'high' }));
    expect(run.state).toMatchObject({
      status: 'completed',
      outcome: 'success',
      output: ' 42\n',
      deliverables: { answer: ' 42\n', confidence: 'high' },
    });
    await verifyRun(run, journal);
  });

  it('[A2.3.terminate] ends with success or failure', async () => {
    const { run } = await open(call('terminate', { status: 'success', message: 'All done.' }));
    expect(run.state).toMatchObject({ status: 'completed', output: 'All done.', deliverables: { primary_summary: 'All done.' } });
    const failed = await open(call('terminate', { status: 'failure', message: 'No paper.' }));
    expect(failed.run.state).toMatchObject({
      status: 'failed',
      outcome: 'error',
      error: { code: 'AGENT_FAILED', message: 'No paper.' },
    });
  });

  it('[A3.terminate-and-ask] [A5.help-needed] ends with words of a profile of its own, which become the outcome', async () => {
    const text = 'type: toolset\nname: verdict\nkind: flow\nsettings: { statuses: [final_answer, needs_feedback] }\n';
    const { run } = await open(
      call('verdict_terminate', { status: 'needs_feedback', message: 'Look again.' }),
      '',
      [{ path: 'toolsets/v.yaml', text }],
      'verdict',
    );
    expect(run.state).toMatchObject({ status: 'completed', outcome: 'needs_feedback', output: 'Look again.' });
  });

  it('[A3.terminate-and-caption] does not end without the deliverables a profile asks for', async () => {
    const schema = 'deliverables_schema: { type: object, required: [table], properties: { table: { type: string } } }\n';
    const { run } = await open(call('submit_answer', { answer: 'x' }), schema);
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({
      status: 'error',
      content: expect.stringContaining('finish_flow') as unknown,
    });
  });
});
