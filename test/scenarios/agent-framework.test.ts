import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, loadProfiles, type EngineOptions, type LaunchOptions, type Run } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { makeFolder } from '../files/temp-folder.ts';
import {
  agentOf,
  agentsOf,
  call,
  dataOf,
  messagesOf,
  promptOf,
  resultOf,
  say,
  speaks,
  systemOf,
  toolsOf,
  turnsOf,
  type Model,
} from './scenario.ts';
import { finish } from './team.ts';

const folder = 'agent_profiles/agent_framework';
const workspace = 'examples/agent-framework-orchestrator/workspace';
const question = 'What is the revenue by region, and within how many days may kettles be returned?';

interface Play extends Omit<EngineOptions, 'profiles'> {
  readonly profile: string;
  /** What every agent's model says; without it the script of the team does. */
  readonly model?: Model;
  readonly input?: string;
  /** Profiles and toolsets beside those that ship, or in their place. */
  readonly files?: Readonly<Record<string, string>>;
  readonly launch?: LaunchOptions;
}

/** Plays an agent that ships until nothing runs any more. */
async function play({ profile, model, input = 'Do it.', files = {}, launch, ...options }: Play) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml'));
  const shipped = await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const));
  const all = { ...Object.fromEntries(shipped), ...files };
  const store = createMemoryJournal();
  const engine = await createEngine({
    profiles: { files: Object.entries(all).map(([name, text]) => ({ path: name, text })) },
    ...(model === undefined ? {} : { models: { default: model } }),
    store,
    env: {},
    workspace,
    random: () => 0,
    ...options,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile, input }, launch);
  await run.settled();
  return {
    run,
    engine,
    verified: async () => await verifyRun(run, store, model === undefined ? {} : { requests: model.requests }),
  };
}

/** A model that speaks for several agents: each by a word of its role, its replies in turn. */
function voices(byRole: Readonly<Record<string, readonly (ScriptedReply | string)[]>>): Model {
  const said = new Map<string, number>();
  return scriptedModel((request) => {
    const system = systemOf(request);
    const role = Object.keys(byRole).find((word) => system.includes(word)) ?? '';
    const index = said.get(role) ?? 0;
    said.set(role, index + 1);
    const reply = byRole[role]?.[index];
    return reply === undefined ? say(`${role} has no more to say`) : typeof reply === 'string' ? say(reply) : reply;
  });
}

const own = (bases: string, more = ''): string =>
  `name: own\ntype: worker\nbase_profile: [${bases}]\ninstructions: You are own.\n${more}`;
const ownFile = (bases: string, more = '') => ({ 'profiles/own.yaml': own(bases, more) });
const callsOf = (run: Run, profile: string) => turnsOf(run, profile).flatMap(({ toolInteractions }) => toolInteractions);

describe('an orchestrator, its managers and their workers', () => {
  it('[A4.1.manager-run] [A4.1.parallel-managers] [A4.2.strategic] [A4.2.decomposer] [A4.1.phases] [A4.1.synthesis] [A4.4.yaml] answer a question over real tables and texts, without a key', async () => {
    const { run, verified } = await play({ profile: 'orchestrator', input: question });
    const { status, outcome, value } = await run.result;
    expect({ status, outcome }).toEqual({ status: 'completed', outcome: 'success' });
    expect(value).toMatchObject({
      operation: 'display_message',
      payload: { sections: [{ worker: 'data_manager' }, { worker: 'documents_manager' }] },
    });
    const { human_readable_summary: summary } = value as { readonly human_readable_summary: string };
    expect(summary).toContain('revenue by region: South 4450, North 3590, West 1480 (tables/sales.csv).');
    expect(summary).toContain('texts/returns.md:3: Kettles may be returned within 30 days');
    // Both managers at once; the phases of one in order, each with what the one before it brought, and nothing of those behind it.
    const starts = ['data_manager', 'documents_manager'].map((name) => agentOf(run, name).meta.seq);
    expect(Math.abs((starts[0] ?? 0) - (starts[1] ?? 0))).toBeLessThan(5);
    const [columns, figures] = agentsOf(run, 'table_worker').map(
      ({ meta }) => run.turns({ agentId: meta.agentId })[0]?.prompt.text ?? '',
    );
    expect(columns).not.toContain('Add up the last column');
    expect(figures).toContain('tables/sales.csv has the columns region, month, product, units, revenue.');
    expect(dataOf(run, 'run_plan')).toMatchObject({ status: 'success', results: { kind: 'sections' } });
    await verified();
  });

  it('say what is missing, when there is no table to answer from', async () => {
    const { run } = await play({ profile: 'orchestrator', input: question, workspace: await makeFolder({ 'a.md': 'Nothing.' }) });
    const { human_readable_summary: summary } = (await run.result).value as { readonly human_readable_summary: string };
    expect(summary).toContain('There is no table in the workspace.');
    expect(summary).toContain('No text says anything about it.');
    expect(run.turns().length).toBeLessThan(20);
  });

  it('[A4.1.manager] [A4.3.follow-up] [A4.1.types] a manager plans first, sees what failed, plans once more, and answers (D3.1)', async () => {
    const phase = (name: string) => call('run_plan', { goal: 'Sums.', phases: [{ name, worker: 'table_worker', goals: name }] });
    const model = voices({
      'read tables and reckon': [phase('first try'), 'It is hard.', phase('second try'), 'The sum is 7.'],
      'answer from tables': [{ error: { status: 400 } }, finish('7.', { primary_summary: '7' })],
    });
    const { run, verified } = await play({ profile: 'data_manager', model });
    expect((await run.result).output).toBe('The sum is 7.');
    expect([dataOf(run, 'run_plan'), dataOf(run, 'run_plan', 1)].map(({ status }) => status)).toEqual(['failed', 'success']);
    const decided = turnsOf(run, 'data_manager').map(({ decision }) => decision.action?.ruleId);
    expect(decided).toEqual(['tool_call', 'follow_up', 'tool_call', 'answered']);
    // Held to planning in its first turn alone.
    expect(turnsOf(run, 'data_manager').map(({ toolChoice }) => toolChoice ?? 'auto')).toEqual([
      'run_plan',
      'auto',
      'auto',
      'auto',
    ]);
    await verified();
  });

  it('[A4.1.synthesis] an answer that is no JSON of this form goes back, and is worded anew (D3.8)', async () => {
    const good = { operation: 'display_message', payload: { message: 'Two.' }, human_readable_summary: 'Two.' };
    const model = voices({
      'what a user asks': [call('run_plan', { goal: 'g', parallel_workers: ['data_manager'] }), 'Two!', JSON.stringify(good)],
      'read tables': ['Two.'],
    });
    const { run, verified } = await play({ profile: 'orchestrator', model });
    expect((await run.result).value).toEqual(good);
    // What the answer is put together from: the question, the plan and its result.
    const synthesis = promptOf(model.requests.findLast((request) => systemOf(request).includes('what a user asks')));
    for (const part of ['Do it.', '(calls run_plan)', 'phases succeeded', 'not JSON']) expect(synthesis).toContain(part);
    await verified();
  });

  it('[A4.4.visibility] [A4.4.memories] [A4.4.entry-types] [A4.3.history-filter] each sees the history that is meant for it', async () => {
    const { run } = await play({ profile: 'orchestrator', input: question });
    const seen = (profile: string, index = -1): string => turnsOf(run, profile).at(index)?.prompt.text ?? '';
    // A worker: the conversation, and not what other workers did.
    expect(seen('document_worker')).toContain('What is the revenue by region');
    expect(seen('document_worker')).not.toContain('query_database');
    // A manager: what those below it were given and brought.
    expect(seen('data_manager')).toContain('tables/sales.csv has the columns');
    expect(
      turnsOf(run, 'data_manager')
        .at(-1)
        ?.inputs.map(({ source }) => source),
    ).toContain('VISIBLE_HISTORY');
    // The orchestrator: results of its managers, none of the calls of their workers.
    expect(seen('orchestrator')).toContain('South 4450');
    expect(seen('orchestrator')).not.toContain('list_files');
    // What is shown so is kept in no history.
    expect(JSON.stringify(agentOf(run, 'data_manager').history.messages)).not.toContain('VISIBLE_HISTORY');
  });
});

describe('planners', () => {
  it.each([
    ['by a rule', 'Within how many days may kettles be returned?', [], 'document_worker'],
    ['by a model', 'Hello there', [call('call_agent', { profile: 'chat_worker', input: 'Hello' }), 'Hello!'], 'chat_worker'],
  ] as const)('[A4.2.worker-router] [A4.2.llm-router] [A4.2.chat] a router chooses %s', async (_title, input, replies, worker) => {
    const model = replies.length === 0 ? undefined : speaks(...replies);
    const { run } = await play({ profile: 'documents_manager', input, ...(model === undefined ? {} : { model }) });
    expect([...run.state.agents.values()].map(({ meta }) => meta.profile)).toEqual(['documents_manager', worker]);
    expect((await run.result).output).toContain(worker === 'chat_worker' ? 'Hello!' : 'texts/returns.md:3');
    expect(model?.requests.length ?? 0).toBe(replies.length);
  });

  it('[A4.2.worker-router] else it says what it needs to know; nobody who is not there is called (D3.8)', async () => {
    const model = speaks(call('call_agent', { profile: 'nobody', input: 'x' }));
    const { run } = await play({ profile: 'documents_manager', input: 'Hello there', model });
    expect((await run.result).output).toContain('Which rule, term or document is it about?');
    expect(run.state.agents.size).toBe(1);
  });

  it.each([
    ['[A4.2.math] a sum', 'math_worker', '(3 + 4) * 2', '(3 + 4) * 2 = 14'],
    ['[A4.2.static] words', 'search_worker', 'Search for kettles', 'texts/returns.md:3'],
    ['[A4.2.static] other words', 'search_worker', 'Tell me a story', 'I can only search.'],
    ['[A4.2.single-action] one call', 'inventory_worker', 'Go.', 'tables/sales.csv'],
  ])('%s: no model is called', async (_title, profile, input, expected) => {
    const { run, verified } = await play({ profile, input, model: speaks() });
    expect((await run.result).output).toContain(expected);
    expect(run.state.usage.modelCalls).toBe(0);
    await verified();
  });

  it('[A4.2.math] [A4.2.chat] words about numbers are a model’s', async () => {
    const { run } = await play({ profile: 'math_worker', input: 'Why is 7 a prime?', model: speaks('It has no divisors.') });
    expect((await run.result).output).toBe('It has no divisors.');
  });

  it('[A4.1.script-mode] [A4.1.script-plan] [A4.2.manager-script] a script is followed exactly or as advice; when it fails, phases are planned', async () => {
    const script = [
      { worker: 'scripted_worker', tool: 'list_files', args: { glob: '**/*.csv' } },
      { worker: 'scripted_worker', tool: 'search_files', args: { query: 'Delivery' }, mode: 'guided', notes: 'What does it cost?' },
    ];
    const wrong = [{ worker: 'scripted_worker', tool: 'query_database', args: { sql: 'SELECT nothing' } }];
    const model = voices({
      'write scripts': [
        call('run_script', { thought: 'Look first.', script }),
        call('run_script', { script: wrong }),
        call('run_plan', { goal: 'g', phases: [{ name: 'tables', worker: 'table_worker', goals: 'Look.' }] }),
        'All is known.',
      ],
      'advised to take': [finish('It costs 4.90.', { primary_summary: '4.90' })],
      'answer from tables': [finish('Nothing new.')],
    });
    const { run, verified } = await play({ profile: 'script_manager', model });
    expect((await run.result).output).toBe('All is known.');
    const [exact, advised] = agentsOf(run, 'scripted_worker').map(({ meta }) => run.turns({ agentId: meta.agentId }));
    expect(exact?.flatMap(({ toolInteractions }) => toolInteractions.map(({ name, args }) => [name, args]))).toEqual([
      ['list_files', { glob: '**/*.csv' }],
    ]);
    expect(advised?.[0]?.prompt.text).toContain('What does it cost?');
    expect(resultOf(run, 'run_script')).toContain('4.90');
    expect(resultOf(run, 'run_script', 1)).toContain('Say what to query');
    expect(dataOf(run, 'run_plan')).toMatchObject({ status: 'success' });
    await verified();
  });
});

describe('policies', () => {
  const writes = 'tool_access_policy: { allowed_toolsets: [flow_control_end, workspace] }';
  const writable = { 'toolsets/workspace.yaml': 'type: toolset\nname: workspace\nsettings: { read_only: false }' };

  it('[A4.1.run] [A4.1.agent] [A4.2.react] [A4.1.errors] [A4.3.presets] [A4.3.hitl] [A4.3.checkpoint] [A4.3.completion] [A4.4.job-store] [A4.4.policy-engine] [A4.4.tools] [B.33] the whole loop of a worker: calls at once, an error it reads, a call that is denied, one that a person approves, a pause, the end by a tool', async () => {
    const place = await makeFolder({ 'a.txt': 'one\n' });
    const deny =
      'tool_gates: [{ id: ask_writes, tools: [write_file, edit_file] }, { id: no_deleting, tools: [delete_file], condition: "args.path == \'a.txt\'", verdict: deny, message: It stays. }]';
    const both = [
      { name: 'read_file', args: { path: 'a.txt' } },
      { name: 'read_file', args: { path: 'b.txt' } },
    ];
    const model = speaks(
      { text: 'I look.', toolCalls: both },
      call('delete_file', { path: 'a.txt' }),
      call('write_file', { path: 'b.txt', content: 'two\n' }),
      call('read_file', { path: 'b.txt' }),
      call('list_files'),
      finish('Done.', { operation: 'display_message', primary_summary: 'b.txt has two.' }),
    );
    const files = { ...ownFile('worker_base, with_hitl, with_checkpoints', `${writes}\n${deny}`), ...writable };
    const { run, verified } = await play({ profile: 'own', model, files, workspace: place });
    const [approval] = run.pending;
    expect(approval).toMatchObject({ kind: 'approval', tool: 'write_file', args: { path: 'b.txt', content: 'two\n' } });
    const statuses = callsOf(run, 'own').map(({ name, status }) => `${name} ${status}`);
    expect(statuses.slice(0, 3)).toEqual(['read_file ok', 'read_file error', 'delete_file denied']);
    expect(resultOf(run, 'delete_file')).toContain('It stays.');
    await run.approve(approval?.id ?? '');
    await run.settled();
    expect(run.pending).toMatchObject([{ kind: 'question', message: expect.stringContaining('own_1 has taken 5 turns.') }]);
    await run.answer(run.pending[0]?.id ?? '', 'go on');
    expect(await run.result).toMatchObject({
      outcome: 'success',
      output: 'Done.',
      deliverables: { primary_summary: 'b.txt has two.' },
    });
    expect(await readFile(path.join(place, 'b.txt'), 'utf8')).toBe('two\n');
    await verified();
  });

  it('[A4.3.presets] [B.33] have their limits, their gates and their pauses, and can be put together', async () => {
    const { profiles } = await loadProfiles(folder);
    const turns = ['simple', 'manager_with_followups', 'with_hitl', 'with_checkpoints'].map(
      (name) => profiles.get(name)?.limits.maxTurns,
    );
    expect(turns).toEqual([10, 15, 15, 20]);
    expect(profiles.get('with_checkpoints')?.checkpoints.map(({ id, afterTurns, onTools }) => [id, afterTurns ?? onTools])).toEqual(
      [
        ['every_five', 5],
        ['shown', ['draw_chart']],
      ],
    );
    expect(profiles.get('with_hitl')?.toolGates.map(({ id, verdict }) => [id, verdict])).toEqual([['ask_writes', 'ask']]);
    expect(profiles.get('with_hitl_all')?.toolGates.map(({ id, tools, verdict }) => [id, tools, verdict])).toEqual([
      ['hand_in', ['finish_flow'], 'allow'],
      ['ask_all', ['*'], 'ask'],
    ]);
  });

  it.each([
    ['[A4.3.termination] a limit ends it with what there is, as no success (D3.3)', 'simple', 11, 'limit'],
    ['[A4.3.loop-prevention] the same three times is told, four times the end', 'simple', 4, 'stagnation'],
    ['[A4.3.loop-prevention] warned, it goes on to its limit', 'simple, warn_and_continue', 11, 'limit'],
  ] as const)('%s', async (_title, bases, turns, outcome) => {
    const isSame = outcome === 'stagnation' || bases.includes('warn');
    let count = 0;
    const model = scriptedModel(() => call('list_files', { depth: isSame ? 1 : (count++ % 9) + 1 }, 'Looking.'));
    const more = 'llm_config_ref: default\ntool_access_policy: { allowed_individual_tools: [list_files] }';
    const { run } = await play({ profile: 'own', model, files: ownFile(bases, more) });
    expect(await run.result).toMatchObject({ status: 'failed', outcome, output: 'Looking.' });
    expect(run.turns()).toHaveLength(turns);
    expect(run.turns().some(({ inputs }) => inputs.some(({ source }) => source === 'STAGNATION_NOTICE'))).toBe(isSame);
  });

  it('[A4.3.completion] [A4.3.termination] [B.75] no word of a text is a sign of the end: with a tool that ends, words alone go on', async () => {
    const model = speaks('Task complete. success: done!', finish('7.', { primary_summary: '7' }));
    const more = 'llm_config_ref: default\ntool_access_policy: { allowed_toolsets: [flow_control_end] }';
    const { run } = await play({ profile: 'own', model, files: ownFile('simple, terminal_tool', more) });
    expect(await run.result).toMatchObject({ outcome: 'success', output: '7.' });
    expect(promptOf(model.requests[1])).toContain('Nothing was handed in.');
    const never = await play({ profile: 'own', model: speaks('a', 'b', 'c'), files: ownFile('simple, terminal_tool', more) });
    expect(await never.run.result).toMatchObject({
      status: 'failed',
      outcome: 'error',
      error: { message: 'The work was not handed in.' },
    });
  });
});

describe('what everybody has', () => {
  it('[A4.1.request-context] [A4.4.yaml-variables] [A4.4.settings] values of the request in texts, with defaults, and below', async () => {
    const more = `system_prompt_construction: { system_prompt_segments: [{ id: role, content: 'You work for \${tenant:-nobody}, {{ request.user }}.' }] }`;
    const text = own('worker_base', more).replace('instructions: You are own.\n', '');
    const model = speaks('Yes.');
    const { run } = await play({
      profile: 'own',
      model,
      files: { 'profiles/own.yaml': text },
      launch: { request: { tenant: 'acme', user: 'u1' } },
    });
    expect((await run.result).output).toBe('Yes.');
    expect(systemOf(model.requests[0])).toContain('You work for acme, u1.');
    const bare = speaks('Yes.');
    await play({ profile: 'own', model: bare, files: { 'profiles/own.yaml': text } });
    expect(systemOf(bare.requests[0])).toContain('You work for nobody');
  });

  it('[A4.4.context-config] a worker reads 1,500 characters of a result, with a marker of what is left out; the record has it all', async () => {
    const place = await makeFolder({ 'long.txt': 'word '.repeat(2_000) });
    const model = speaks(call('read_file', { path: 'long.txt' }), finish('Long.'));
    const { run } = await play({ profile: 'document_worker', model, workspace: place });
    const read = messagesOf(model.requests[1]).find((message) => message.startsWith('tool: ')) ?? '';
    expect(read.length).toBeLessThan(2_000);
    expect(read).toMatch(/\d[\d,]* (?:more )?characters/);
    expect(resultOf(run, 'read_file').length).toBeGreaterThan(9_000);
  });

  it('[A4.4.gateways] [A4.4.yaml] any provider by one variable, a script without; what is wrong in a file is said with its place', async () => {
    const { llmConfigs } = await loadProfiles(folder, { env: { CADRE_MODEL: 'ollama/llama3.2' } });
    expect(llmConfigs.get('default')).toMatchObject({ provider: 'ollama', model: 'llama3.2' });
    const wrong = play({ profile: 'own', files: { 'profiles/own.yaml': 'name: own\nbase_profile: [worker_base, with_hitk]' } });
    await expect(wrong).rejects.toThrow(/own\.yaml:2:\d+.*with_hitk.*with_hitl/s);
  });

  it('[A4.4.tools] a worker has the tools of its own work and no other', async () => {
    const model = speaks(finish('Done.'));
    await play({ profile: 'document_worker', model });
    expect(toolsOf(model.requests[0]).toSorted()).toEqual(['finish_flow', 'list_files', 'read_file', 'search_files']);
  });
});
