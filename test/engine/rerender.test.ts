import { describe, expect, it } from 'vitest';
import type { ProfileFile, Rerendering } from '../../src/index.ts';
import { createMemoryJournal, type ScriptedReply } from '../../src/testing/index.ts';
import { engineOver } from '../support/engine-over.ts';
import { profileFiles, testEngine, type TestEngineOptions, waitsForUser } from '../support/test-engine.ts';

const look = {
  name: 'look',
  description: 'Looks a word up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  effect: 'unsafe' as const,
  execute: () => 'A word.',
};

const root = `
system_prompt_construction:
  system_prompt_segments:
    - { id: role, type: static_text, order: 1, content: You work. }
    - { id: count, type: state_value, order: 2, source_state_path: flags.seen }
tool_access_policy: { allowed_individual_tools: [look] }
post_turn_observers:
  - { id: count, action: { type: update_state, updates: [{ operation: increment, path: flags.seen }] } }
${waitsForUser}`;

const replies: readonly ScriptedReply[] = [
  { toolCalls: [{ name: 'look', args: { word: 'kite' } }] },
  { text: 'A kite.' },
  { text: 'And more.' },
];

/** Runs a team of one over three turns. */
async function recorded(options: TestEngineOptions = {}) {
  let ran = 0;
  const tools = [{ ...look, execute: () => `A word, ${++ran}.` }];
  const made = await testEngine({ profile: root, replies, tools, ...options });
  const run = await made.launch('What is a kite?');
  await run.settled();
  await run.send('More?');
  await run.settled();
  const again = (profile: string): Promise<Rerendering> =>
    made.engine.rerender(run.id, { profiles: { files: profileFiles(profile) } });
  return { ...made, run, again, ran: () => ran };
}

const rolesOf = (messages: readonly { readonly role: string }[]) => messages.map(({ role }) => role);

const partsOf = ({ differences }: Rerendering) => differences.map(({ turnId, parts }) => [turnId, ...parts]);

describe('engine.rerender', () => {
  it('finds every turn the same under the same profiles, without a model call, a tool or a write', async () => {
    const { engine, run, model, ran, journal } = await recorded();
    const before = [model.requests.length, ran(), (await journal.read(run.id)).length];
    const result = await engine.rerender(run.id);
    expect(result).toMatchObject({ turns: 3, same: 3, differ: 0, where: [], differences: [] });
    expect([model.requests.length, ran(), (await journal.read(run.id)).length]).toEqual(before);
    expect(before).toEqual([3, 1, expect.any(Number)]);
  });

  it('names the segment that an edit changed, with its lines and its place', async () => {
    const { again } = await recorded();
    const result = await again(root.replace('You work.', 'You work hard.'));
    expect(partsOf(result)).toEqual([1, 2, 3].map((turn) => [`Root_1.t${turn}`, 'system prompt']));
    expect(result.differences[0]?.systemPrompt).toEqual([
      {
        change: 'changed',
        name: 'role',
        kind: 'static_text',
        source: expect.objectContaining({ file: 'profiles/Root.yaml' }),
        lines: [
          { kind: 'removed', text: 'You work.' },
          { kind: 'added', text: 'You work hard.' },
        ],
      },
    ]);
    expect(result.where).toEqual([{ profile: 'Root', what: 'segment role', turns: 3 }]);
  });

  it('judges each turn on its own: a value that recorded turns set is the recorded one', async () => {
    const { again } = await recorded();
    const result = await again(root.replace('path: flags.seen }]', 'path: flags.other }]'));
    // The segment still shows what the recorded observer counted.
    expect(partsOf(result)).toEqual([1, 2, 3].map((turn) => [`Root_1.t${turn}`, 'state']));
    expect(result.differences[1]?.state).toEqual({ before: ['flags.seen 1 → 2 by count'], after: ['flags.other – → 1 by count'] });
  });

  it('decides with the recorded reply: a rule before the one that matched', async () => {
    const { again } = await recorded();
    const result = await again(
      root.replace(
        '  - { id: wait,',
        '  - { id: done, condition: flags.seen == 2, action: { type: end_agent_turn, outcome: success } }\n  - { id: wait,',
      ),
    );
    expect(result.differences).toMatchObject([
      {
        turnId: 'Root_1.t2',
        parts: ['decision'],
        decision: {
          before: { action: 'await_user_input', ruleId: 'wait' },
          after: { action: 'end_agent_turn', ruleId: 'done', outcome: 'success' },
        },
      },
    ]);
  });

  it('shows gates, tools and tool choice', async () => {
    const { again } = await recorded();
    const gated = await again(`${root}tool_gates: [{ id: ask, tools: [look], verdict: ask }]\n`);
    expect(gated.differences).toMatchObject([
      {
        turnId: 'Root_1.t1',
        parts: ['gates'],
        gates: [{ before: { verdict: 'runs' }, after: { verdict: 'asks', gateId: 'ask' } }],
      },
    ]);
    const denied = await again(`${root}tool_gates: [{ id: no, tools: [look], verdict: deny, message: No. }]\n`);
    expect(denied.differences[0]?.gates?.[0]?.after).toMatchObject({ verdict: 'denied', code: 'TOOL_DENIED', message: 'No.' });
    const without = await again(root.replace('[look]', '[]'));
    expect(partsOf(without)).toEqual([
      ['Root_1.t1', 'tools', 'gates'],
      ['Root_1.t2', 'tools'],
      ['Root_1.t3', 'tools'],
    ]);
    expect(without.differences[0]).toMatchObject({ tools: { removed: ['look'] }, gates: [{ after: { code: 'TOOL_UNKNOWN' } }] });
    const chosen = await again(`${root}tool_choice: required\n`);
    expect(chosen.differences[0]).toMatchObject({ parts: ['tool choice'], toolChoice: { before: 'auto', after: 'required' } });
  });

  it('shows what ingestors and observers would have said, and the state that an observer before the turn leaves for its rules', async () => {
    const { again } = await recorded();
    const said = await again(
      `${root}inbox_handling_strategies: [{ source: USER_PROMPT, ingestor: templated_content, params: { template: 'They ask: {{ payload.prompt }}' } }]\n`,
    );
    expect(partsOf(said)).toEqual([
      ['Root_1.t1', 'messages'],
      ['Root_1.t3', 'messages'],
    ]);
    expect(said.differences[0]?.messages).toMatchObject([
      { change: 'changed', name: 'USER_PROMPT', kind: 'user_prompt → templated_content' },
    ]);
    const flagged = await again(
      `${root.replace('  - { id: wait,', '  - { id: stop, condition: flags.stop, action: { type: end_agent_turn, outcome: success } }\n  - { id: wait,')}
pre_turn_observers:
  - { id: halt, condition: counters.turn_count == 2, action: { type: update_state, updates: [{ operation: set, path: flags.stop, value: true }] } }
`,
    );
    expect(flagged.differences).toMatchObject([
      {
        turnId: 'Root_1.t3',
        parts: ['observers', 'state', 'decision'],
        observers: { before: ['count (post)'], after: ['halt (pre)', 'count (post)'] },
        decision: { after: { ruleId: 'stop' } },
      },
    ]);
  });

  it('hands out whole prompts on request', async () => {
    const { engine, run } = await recorded();
    const profiles = { files: profileFiles(root.replace('You work.', 'You work hard.')) };
    const { differences } = await engine.rerender(run.id, { profiles, prompts: true });
    expect(differences[1]?.prompts?.before?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(JSON.stringify(differences[1]?.prompts?.after)).toContain('You work hard.');
    expect(differences[1]?.prompts?.after?.tools.map(({ name }) => name)).toEqual(['look']);
  });

  it('says that a turn would not begin: its profile is gone, or a checkpoint comes first', async () => {
    const { engine, run, again } = await recorded();
    const gone = await engine.rerender(run.id, { profiles: { files: profileFiles({ Other: '' }) } });
    expect(gone.differences[0]).toMatchObject({ parts: ['start'], start: "there is no profile 'Root' any more" });
    const paused = await again(`${root}checkpoints: [{ id: look, after_turns: 1 }]\n`);
    const start = 'a checkpoint would ask a person first';
    expect(paused.differences).toMatchObject([
      { turnId: 'Root_1.t2', parts: ['start'], start },
      { turnId: 'Root_1.t3', parts: ['start'], start },
    ]);
  });

  it('knows the tools of a program that is not there by their record, and a whole team in another engine', async () => {
    const store = createMemoryJournal();
    const { run } = await recorded({ store });
    const { engine } = await engineOver(store, { profile: root.replace('[look]', '[]') });
    const files: readonly ProfileFile[] = profileFiles(root);
    expect(await engine.rerender(run.id, { profiles: { files } })).toMatchObject({ turns: 3, differ: 0 });
  });

  it('keeps agents apart that work at the same time, also when their turns go another way', async () => {
    const boss = `
type: principal
instructions: You are BOSS.
callable_profiles: [Helper]
tool_access_policy: { allowed_toolsets: [agents] }
`;
    const helper = `
tool_access_policy: { allowed_individual_tools: [look] }
limits: { max_turns: 9 }
`;
    const call = (input: string) => ({ name: 'call_agent', args: { profile: 'Helper', input } });
    const made = await testEngine({
      profile: { Boss: boss, Helper: helper },
      team: {},
      tools: [look],
      replies: ({ prompt }) => {
        const text = JSON.stringify(prompt);
        const results = text.split('"tool-result"').length - 1;
        if (text.includes('BOSS')) return results === 0 ? { toolCalls: [call('One.'), call('Two.')] } : { text: 'Done.' };
        return results < 3 ? { toolCalls: [{ name: 'look', args: { word: String(results) } }] } : { text: 'Found.' };
      },
    });
    const run = await made.launch('Go.');
    await run.settled();
    const observer = `pre_turn_observers: [{ id: mark, action: { type: update_state, updates: [{ operation: increment, path: flags.n }] } }]\n`;
    const profiles = {
      files: profileFiles({ Boss: `${boss}${observer}`, Helper: `instructions: You help.\n${helper}${observer}` }),
    };
    const { turns, differences } = await made.engine.rerender(run.id, { profiles, prompts: true });
    expect([turns, differences.length]).toEqual([run.turns().length, run.turns().length]);
    const recorded = new Set(made.model.requests.map(({ prompt }) => JSON.stringify(rolesOf(prompt))));
    for (const { turnId, prompts } of differences.filter(({ agentId }) => agentId !== 'Boss_1'))
      expect(recorded, turnId).toContain(JSON.stringify(rolesOf(prompts?.before?.messages ?? [])));
    expect(await made.engine.rerender(run.id)).toMatchObject({ differ: 0 });
  });

  it('takes several runs, each once', async () => {
    const { engine, run, launch } = await recorded({ replies: [...replies, { text: 'Hello.' }] });
    const second = await launch('Hello?');
    await second.settled();
    const result = await engine.rerender([run.id, second.id, run.id]);
    expect(result).toMatchObject({
      turns: 4,
      same: 4,
      runs: [
        { runId: run.id, turns: 3 },
        { runId: second.id, turns: 1 },
      ],
    });
  });

  it('refuses what cannot be meant', async () => {
    const { engine, run, again } = await recorded();
    await expect(engine.rerender('run_nowhere')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(engine.rerender([])).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(engine.rerender(run.id, { profiles: 7 as never })).rejects.toThrow(/engine\.rerender: profiles must be a folder/);
    await expect(engine.rerender(run.id, { profile: 'x' } as never)).rejects.toThrow(
      /no option 'profile'; .* did you mean 'profiles'/,
    );
    await expect(again(`${root}tool_gates: [{ id: ask, tools: [lok], verdict: ask }]\n`)).rejects.toMatchObject({
      code: 'PROFILE_INVALID',
    });
  });
});
