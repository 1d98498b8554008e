import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventOf } from '../../src/core/events/event.ts';
import type { ProfileEdit } from '../../src/core/events/profile-edit.ts';
import type { Ids } from '../../src/core/ids.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { editedProfiles } from '../../src/engine/launch/edited-profiles.ts';
import { factsOfRun } from '../../src/engine/recovery/facts-of-run.ts';
import type { Run } from '../../src/index.ts';
import { countingIds, createMemoryJournal, type ScriptedReply } from '../../src/testing/index.ts';
import { call, dataOf, type Model, openEngine, promptOf, resultOf, say, speaks, systemOf } from '../scenarios/scenario.ts';
import { assignment, dispatch, finish, launch, partner, plan, principal, worker, workers } from '../scenarios/team.ts';
import { allow, tool } from '../support/tools.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const brief = `${waitsForUser}# How it speaks.\ninstructions: Be brief.\n`;
const be = (word: string): ProfileEdit => ({ update: 'Root', with: { instructions: `Be ${word}.` } });

function laterIds(): Ids {
  const ids = countingIds();
  return {
    runId: () => `later_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `later_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

const words = (prompts: readonly { readonly prompt: { readonly text: string } }[]) =>
  prompts.map(({ prompt }) => /Be \w+/.exec(prompt.text)?.[0]);

async function talking(replies: readonly (ScriptedReply | string)[] = ['one', 'two', 'three']) {
  const store = createMemoryJournal();
  const texts = replies.map((reply) => (typeof reply === 'string' ? { text: reply } : reply));
  const team = await testEngine({ profile: brief, replies: texts, store });
  onTestFinished(async () => await team.engine.close());
  return { ...team, store, run: await team.launch() };
}

/** A principal that waits for words, once it has made its plan. */
async function planned(lead: Model): Promise<Run> {
  const waits = `${principal}flow_decider:
  - { id: t, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: w, action: { type: await_user_input } }
`;
  const engine = await openEngine({ yaml: [waits, worker], models: { principal: lead, worker: workers() } });
  const run = await engine.launch({ profile: 'Principal', input: 'Go.' });
  await run.settled();
  return run;
}

describe('[B.30] [A1.12.runtime-edit] profiles that are changed while a run goes on', () => {
  it('[B.29] hold from the next turn on, are recorded with their content, and those who plan read of it once', async () => {
    const { run, store, model } = await talking();
    await run.settled();
    const changes = await run.updateProfiles([be('kind')]);
    expect(changes).toEqual([{ action: 'updated', profile: 'Root' }]);
    expect(run.state.status, 'nobody is woken by it').toBe('awaiting');
    await run.send('more');
    await run.settled();
    await run.send('and more');
    await run.settled();
    expect(words(run.turns())).toEqual(['Be brief', 'Be kind', 'Be kind']);
    expect(promptOf(model.requests[1])).toContain('were changed while it goes on: Root was updated.');
    expect(promptOf(model.requests[2])).not.toContain('were changed');
    const events = await store.read(run.id);
    const edit = events.find((event): event is EventOf<'profiles.update'> => event.type === 'profiles.update');
    expect(edit).toMatchObject({ profiles: run.state.meta.profiles, changes });
    const text = await store.content(edit?.profiles ?? run.state.meta.profiles);
    expect(text).toContain('# How it speaks.');
    expect(text).toContain('rev: 2');
    const facts = await factsOfRun({ events, content: (hash) => store.content(hash) as string | undefined });
    expect(Object.keys(facts)).toEqual(['Root']);
    await verifyRun(run, store, { requests: model.requests });
  });

  it('leave the turn that is under way its prompt', async () => {
    const { run } = await talking([{ hang: true }, 'two', 'three']);
    await breathe();
    await run.updateProfiles([be('kind')]);
    await run.send('now', { priority: 'now' });
    await run.settled();
    expect(words(run.turns())).toEqual(['Be brief', 'Be kind']);
  });

  it('are made one after the other, each of what the one before left', async () => {
    const { run } = await talking();
    await run.settled();
    await Promise.all([
      run.updateProfiles([be('kind')]),
      run.updateProfiles([{ create: { name: 'Second', type: 'associate', llm_config_ref: 'm', instructions: 'Be second.' } }]),
      run.updateProfiles([{ update: 'Second', with: 'name: Second\ntype: associate\nllm_config_ref: m\ninstructions: Be third.' }]),
    ]);
    await run.send('more');
    await run.settled();
    expect(words(run.turns())).toEqual(['Be brief', 'Be kind']);
    await run.updateProfiles([
      { rename: 'Second', to: 'Third' },
      { update: 'Third', with: { description_for_human: 'x' } },
    ]);
  });

  it('that take a tool away leave no call of it to be let run', async () => {
    const paid: unknown[] = [];
    const team = await testEngine({
      profile: `${waitsForUser}${allow('pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
      tools: [tool('pay', (args) => paid.push(args))],
      replies: [call('pay'), say('Refused.')],
    });
    onTestFinished(async () => await team.engine.close());
    const run = await team.launch();
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    await run.updateProfiles([{ update: 'Root', with: { tool_access_policy: null, tool_gates: null } }]);
    for (const options of [{}, { always: true }, { args: {} }])
      await expect(run.approve(id, options)).rejects.toMatchObject({
        code: 'TOOL_MISSING',
        message: expect.stringMatching(/still waits/),
      });
    expect(run.pending).toHaveLength(1);
    await run.reject(id);
    await run.settled();
    expect(paid).toEqual([]);
    expect(run.turns().at(-1)?.reply?.text).toBe('Refused.');
  });

  it.each<readonly [string, readonly ProfileEdit[], string, RegExp]>([
    [
      'a rule that does not compile',
      [{ update: 'Root', with: { flow_decider: [{ id: 'a', condition: 'state.', action: { type: 'await_user_input' } }] } }],
      'PROFILE_INVALID',
      /profiles\/Root\.yaml:\d+:\d+/,
    ],
    [
      'a tool that does not exist',
      [{ update: 'Root', with: { tool_access_policy: { allowed_individual_tools: ['nothing'] } } }],
      'PROFILE_INVALID',
      /nothing/,
    ],
    ['a profile that does not exist', [{ disable: 'Rot' }], 'OPTION_INVALID', /did you mean `Root`/],
    ['a name that is taken', [{ create: { name: 'Root' } }], 'OPTION_INVALID', /already/],
    ['a name in a path', [{ create: { name: '../x' } }], 'OPTION_INVALID', /needs a name/],
    ['another name in an update', [{ update: 'Root', with: { name: 'Other' } }], 'OPTION_INVALID', /use rename/],
    ['an agent at work, disabled', [{ disable: 'Root' }], 'PROFILE_DISABLED', /Root_1 is at work/],
    ['an agent at work, renamed', [{ rename: 'Root', to: 'Other' }], 'PROFILE_UNKNOWN', /Root_1 is at work/],
    ['a model that is not there', [{ update: 'Root', with: { llm_config_ref: 'none' } }], 'PROFILE_INVALID', /none/],
    ['no edit at all', [{ enable: 'Root' } as never], 'OPTION_INVALID', /updateProfiles/],
    ['the second of two', [be('kind'), { disable: 'None' }], 'OPTION_INVALID', /None/],
  ])('%s: nothing changes, and it is said why', async (_, edits, code, message) => {
    const { run } = await talking();
    await run.settled();
    const { seq, meta } = run.state;
    await expect(run.updateProfiles(edits)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(run.state.seq).toBe(seq);
    expect(run.state.meta).toBe(meta);
    await run.send('more');
    await run.settled();
    expect(words(run.turns())).toEqual(['Be brief', 'Be brief']);
  });

  it('hold when the run is resumed and forked; a fork from before them goes by those from before', async () => {
    const { run, store, engine } = await talking();
    await run.settled();
    const { seq } = run.state;
    await run.updateProfiles([be('kind')]);
    await engine.close();
    const later = await testEngine({ profile: brief, replies: () => ({ text: 'later' }), store, ids: laterIds() });
    onTestFinished(async () => await later.engine.close());
    const speak = async (again: typeof run) => {
      await again.send('more');
      await again.settled();
      return words(again.turns()).at(-1);
    };
    const resumed = await later.engine.resume(run.id);
    expect(await speak(resumed)).toBe('Be kind');
    await resumed.updateProfiles([be('wise')]);
    expect(await speak(resumed)).toBe('Be wise');
    expect(await speak(await later.engine.fork(run.id))).toBe('Be wise');
    expect(await speak(await later.engine.fork(run.id, { at: seq }))).toBe('Be brief');
  });

  it('their limits hold at once, also for the turn that is under way', async () => {
    const { run, clock } = await talking([{ hang: true }, 'two']);
    await breathe();
    await run.updateProfiles([{ update: 'Root', with: { limits: { max_wall_seconds: 10 } } }]);
    await clock.advance(11_000);
    await breathe();
    expect(run.state.agents.get(run.state.rootAgentId as never)?.limits.stage).toBe('last_turn');
    await run.cancel();
  });

  it('leave the models as they were: one that plays a recording goes on in it', async () => {
    const say = async (run: Run): Promise<string> => {
      await run.settled();
      await run.updateProfiles([{ create: 'name: Spare\ntype: associate\nllm_config_ref: m\ninstructions: x\n' }]);
      await run.send('more');
      await run.settled();
      return run.turns().at(-1)?.reply?.text ?? '';
    };
    const live = await talking(['one', 'two']);
    expect(await say(live.run)).toBe('two');
    const folder = await mkdtemp(path.join(tmpdir(), 'cadre-edit-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'run.jsonl');
    await writeFile(file, await live.run.recording());
    const text = `name: recorded\ntype: llm_config\nconfig: { provider: replay, recording: ${JSON.stringify(file)} }\n`;
    const replaying = await testEngine({ profile: brief, files: [{ path: 'llm_configs/recorded.yaml', text }] });
    expect(await say(await replaying.launch('Go.', { llmConfig: 'recorded' }))).toBe('two');
  });

  it('are none of an imported run', async () => {
    const { run, journal } = await talking();
    await run.settled();
    const [start, ...rest] = await journal.read(run.id);
    const imported = { from: 'a.json', at: 1, exportedAt: 1, redacted: true, facts: run.state.meta.profiles };
    const state = foldEvents([{ ...start, imported } as never, ...rest]);
    await expect(editedProfiles({} as never, state as never, [be('kind')])).rejects.toMatchObject({ code: 'RUN_IMPORTED' });
  });

  it('a principal whose profile has another name since is not sent on, and a new one can be launched', async () => {
    const again = (profile: JsonObject) =>
      call('launch_principal', { iteration_mode: 'continue_from_previous', new_directives_for_iteration: {}, ...profile });
    const boss = speaks(
      plan('goal'),
      launch(),
      'Begun.',
      'Done.',
      again({}),
      'Hm.',
      launch('Which tea?', { profile: 'Lead' }),
      'Begun.',
      'Done.',
    );
    const engine = await openEngine({
      yaml: [partner, principal],
      models: { partner: boss, principal: speaks(finish('First.'), finish('Second.')) },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await run.settled();
    await run.updateProfiles([{ rename: 'Principal', to: 'Lead' }]);
    await run.send('Again.');
    await run.settled();
    expect(resultOf(run, 'launch_principal', 1)).toContain('use iteration_mode start_fresh');
    await run.send('Anew, then.');
    await run.settled();
    expect(run.turns({ agentId: 'Lead_3' })).toHaveLength(1);
    expect(run.state.status).toBe('awaiting');
  });

  it('are refused once the run is over', async () => {
    const { run } = await talking();
    await run.cancel();
    await expect(run.updateProfiles([be('kind')])).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await expect(run.updateModules([{ action: 'create', name: 'a', description: 'b' }])).rejects.toMatchObject({
      code: 'RUN_ENDED',
    });
  });

  it('a profile that comes can be staffed, one that was disabled cannot any more', async () => {
    const lead = speaks(
      plan('one', 'two'),
      say('Look over it.'),
      dispatch(assignment('WM_1', 'Do it.', { agent_profile_logical_name: 'Helper' }), assignment('WM_2')),
      finish(),
    );
    const run = await planned(lead);
    await run.updateProfiles([
      { create: worker.replace('name: Worker', 'name: Helper').replace('You work', 'You help') },
      { disable: 'Worker' },
    ]);
    await run.send('Go on.');
    await run.settled();
    expect(dataOf(run, 'dispatch_submodules')).toMatchObject({
      status: 'PARTIAL_SUCCESS_SOME_PREP_FAILED',
      assignment_execution_results: [{ module_id: 'WM_1', execution_status: 'completed_success' }],
    });
    expect(resultOf(run, 'dispatch_submodules')).toContain('Worker');
    expect(run.turns({ agentId: 'Helper_2' })[0]?.prompt.text).toContain('You help');
    expect(systemOf(lead.requests[0])).toBe('You are the principal.');
  });
});

describe('[A1.13.client-messages] a person changes the plan', () => {
  it('as the planner does, all of it or nothing; those who plan read of it with their next turn', async () => {
    const lead = speaks(plan('one'), say('Look over it.'), finish());
    const run = await planned(lead);
    const { seq } = run.state;
    await expect(
      run.updateModules([
        { action: 'update', module_id: 'WM_1', name: 'first' },
        { action: 'update', module_id: 'WM_7', name: 'x' },
      ]),
    ).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('WM_7') });
    await expect(run.updateModules([{ action: 'drop' } as never])).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const slip = { action: 'update', module_id: 'WM_1', executor: 'Nobody' } as const;
    await expect(run.updateModules([slip])).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('executor'),
    });
    expect(run.state.seq).toBe(seq);
    await run.updateModules([
      { action: 'status_change', module_id: 'WM_1', new_status: 'deprecated' },
      { action: 'create', name: 'better', description: 'Better than one.' },
    ]);
    expect(run.state.status).toBe('awaiting');
    expect(Object.values(run.state.team.workModules).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'one deprecated',
      'better pending',
    ]);
    await run.send('Go on.');
    await run.settled();
    expect(promptOf(lead.requests[2])).toContain('A person changed the plan: WM_1 (one) is deprecated; WM_2 (better) is pending.');
  });
});
