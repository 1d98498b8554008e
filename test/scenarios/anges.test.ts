import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { loadProfiles } from '../../src/index.ts';
import { agentHistory } from '../../src/inspect/history.ts';
import type { ForeignEvent } from '../../src/compat/events/dialect.ts';
import { eventTranslator } from '../../src/compat/events/event-translator.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { eventsOf, verifyRun } from '../support/verify-run.ts';
import { act, acts, angesTeam, answer, asked, headings, streamOf, systemOf, type AngesTeam, type Lines } from './anges-team.ts';
import { agentOf, dataOf, turnsOf } from './scenario.ts';

const sum = {
  'sum.sh': 'sum() {\n  echo $(($1 - $2))\n}\n',
  'test.sh': '. ./sum.sh\n[ "$(sum 2 3)" = 5 ] || { echo "2 + 3 is not $(sum 2 3)" >&2; exit 1; }\n',
};
const test = (shell = ''): ReturnType<typeof act> => act(`${shell}run_command`, { command: 'bash test.sh' }, 'First the test.');
const done = (message: string): ReturnType<typeof act> => act('done_terminate', { status: 'success', message });
const finish = (status: string, message: string): ReturnType<typeof act> => act('finish_terminate', { status, message });
const calls = (profile: string, input: string, agentId?: string): ReturnType<typeof act> =>
  act('call_agent', { profile, input, ...(agentId === undefined ? {} : { agent_id: agentId }) });

async function played(
  lines: Lines,
  options: {
    readonly profile?: string;
    readonly input?: string;
    readonly files?: Parameters<typeof angesTeam>[1];
    readonly limits?: object;
  } = {},
) {
  const { profile = 'default_agent', input = 'The test fails. Mend it.', files = sum, limits } = options;
  const team = await angesTeam(lines, files);
  const run = await team.engine.launch({ profile, input }, limits === undefined ? {} : { limits });
  await run.settled();
  return { ...team, run };
}

/** A run under the names of Anges. */
function told(events: readonly CadreEvent[]): readonly ForeignEvent[] {
  const translate = eventTranslator({ as: 'anges' });
  return events.flatMap((event) => translate(event));
}

const verified = async ({
  run,
  journal,
  model,
}: Pick<AngesTeam, 'journal' | 'model'> & { readonly run: Parameters<typeof verifyRun>[0] }) =>
  await verifyRun(run, journal, { requests: asked(model) });

describe('the default agent', () => {
  it('[A5.agents] [A5.new-request] [A5.task-complete] [A5.edit-file] [A5.shell-command] [A5.event] mends a failing test, and reads what it did as events', async () => {
    const played_ = await played({
      default_agent: [
        test(),
        act('read_file', { path: 'sum.sh' }, 'It subtracts?'),
        act('edit_file', { command: 'replace_lines', path: 'sum.sh', from_line: 2, to_line: 2, new_str: '  echo $(($1 + $2))' }),
        test(),
        done('sum subtracted; now it adds.'),
      ],
    });
    const { run, model, workspace } = played_;
    expect(run.state).toMatchObject({ status: 'completed', outcome: 'success', output: 'sum subtracted; now it adds.' });
    expect(readFileSync(path.join(workspace, 'sum.sh'), 'utf8')).toContain('$1 + $2');
    const last = streamOf(model.requests.at(-1));
    expect(headings(last)).toEqual(['Event 1 NEW_REQUEST', 'Event 2 ACTION', 'Event 3 ACTION', 'Event 4 ACTION', 'Event 5 ACTION']);
    expect(last).toMatch(
      /Event 2 TYPE: ACTION\nREASONING:\nFirst the test\.\nCALL run_command:\n\{"command":"bash test.sh"\}\nRESULT of run_command:\n/,
    );
    expect(last).toMatch(
      /exit code 1 [^]*2 \+ 3 is not -1[^]*-  echo \$\(\(\$1 - \$2\)\)\n\+  echo \$\(\(\$1 \+ \$2\)\)[^]*exit code 0/,
    );
    await verified(played_);
  });

  it('[A5.prompt] [A5.response-parse] is told of its actions and how to write them, from their own schemas; what cannot be read comes back', async () => {
    const broken = await played({
      default_agent: [
        { text: '{"analysis":"","actions":[{"tool":"read_file","args":{"path":"sum.sh"' },
        act('read_file', { file: 'sum.sh' }),
        done('Done.'),
      ],
    });
    const { run, model } = broken;
    const system = systemOf(model.requests[0] ?? ({ prompt: [] } as never));
    for (const name of ['run_command', 'read_file', 'edit_file', 'ask_human', 'done_terminate']) expect(system).toContain(name);
    expect(system).toContain('"actions"');
    const results = run
      .turns()
      .flatMap((turn) => turn.toolInteractions.map(({ status, content }) => `${status}: ${String(content)}`));
    expect(results.at(-2)).toMatch(/error: [^]*path/);
    expect(streamOf(model.requests.at(-1))).toContain('ERROR of read_file');
    expect(run.state.outcome).toBe('success');
    await verified(broken);
  });

  it('[A5.action-base] an end that comes with other actions is refused, and they run; alone it ends', async () => {
    const { run } = await played({
      default_agent: [
        acts([
          { tool: 'read_file', args: { path: 'sum.sh' } },
          { tool: 'done_terminate', args: { status: 'success' } },
        ]),
        done('Read.'),
      ],
    });
    expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['ok', 'error']);
    expect(run.state).toMatchObject({ outcome: 'success', output: 'Read.' });
  });

  it('[A5.text-response] [A5.summarisation] [A5.rendering] [A5.event-summary] answers in words, goes on with what is asked next, and has what is over summarised', async () => {
    const talk = await played({
      default_agent: [
        act('read_file', { path: 'sum.sh' }),
        act('run_command', { command: 'seq 400' }),
        answer('It subtracts.'),
        answer('Line 2.'),
      ],
      summary: [{ text: '# What was found\nsum.sh subtracts in line 2.' }],
    });
    const { run, model } = talk;
    expect(run.state.status).toBe('awaiting');
    await run.send('Where?');
    await run.settled();
    const last = streamOf(model.requests.at(-1));
    expect(headings(last)).toEqual(['Events 1 to 3 SUMMARY', 'Event 4 TEXT_RESPONSE', 'Event 5 FOLLOW_UP_REQUEST']);
    expect(last).toContain('NEW_REQUEST (event 1):\nThe test fails. Mend it.\nCONTENT:\n\\# What was found'.replace('\\#', '#'));
    await verified(talk);
  });

  it('[A5.help-needed] asks a person for what only they have, and goes on with the answer', async () => {
    const { run, model, journal } = await played({
      default_agent: [
        act('ask_human', { question: 'Blocker: two files are called sum. Which one?' }, 'I ask.'),
        done('The first.'),
      ],
    });
    const [question] = run.pending;
    expect(question).toMatchObject({ message: expect.stringContaining('Which one?') });
    // F20: who follows the run under the names of Anges hears of it while it waits.
    const asked = told(await eventsOf(run, journal)).at(-1);
    expect(asked).toMatchObject({
      event: 'agent_requested_help',
      content: expect.stringContaining('Which one?'),
      reasoning: 'I ask.',
    });
    await run.answer(question?.id ?? '', 'The first one.');
    await run.settled();
    expect(streamOf(model.requests.at(-1))).toContain('The first one.');
    expect(run.state.outcome).toBe('success');
    expect(told(await eventsOf(run, journal)).map(({ event }) => event)).toEqual([
      'new_request',
      'agent_requested_help',
      'follow_up_request',
      'action',
      'task_completion',
    ]);
  });

  it('[A5.persistence] [A5.notes] waits over the end of its process, goes on from its journal, and reads what was noted meanwhile', async () => {
    const first = await played({ default_agent: [test(), act('ask_human', { question: 'Which one?' })] });
    await first.engine.close();
    const team = await angesTeam({ default_agent: [done('The first.')] }, {}, { store: first.journal, workspace: first.workspace });
    const run = await team.engine.resume(first.run.id);
    await run.note({ title: 'Style', content: 'Tabs, never spaces.', agent: 'default_agent' });
    await run.answer(run.pending[0]?.id ?? '', 'The first one.');
    await run.settled();
    expect(run.state).toMatchObject({ status: 'completed', output: 'The first.' });
    expect(systemOf(team.model.requests[0] ?? ({ prompt: [] } as never))).toContain('### Style\nTabs, never spaces.');
    expect(headings(streamOf(team.model.requests[0]))).toEqual(['Event 1 NEW_REQUEST', 'Event 2 ACTION', 'Event 3 ACTION']);
  });

  it('[A5.mime-files] sees a picture where its event stands', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const { model } = await played(
      { default_agent: [act('read_file', { path: 'dot.png' }), answer('A dot.')] },
      { files: { 'dot.png': png }, input: 'What is in dot.png?' },
    );
    const stream = ((model.requests[1]?.prompt ?? []) as readonly PromptMessage[])[1];
    expect(stream?.role === 'user' && stream.content.filter(({ type }) => type === 'file')).toMatchObject([
      { mediaType: 'image/png' },
    ]);
  });

  it('[A5.exhausted] gets a last turn for a summary when it has taken too many, and ends as limit', async () => {
    const { run } = await played(
      {
        default_agent: [
          test(),
          act('list_files', {}),
          act('read_file', { path: 'sum.sh' }),
          answer('It subtracts in line 2; nothing is changed yet.'),
        ],
      },
      { limits: { turns: 3 } },
    );
    expect(run.state).toMatchObject({ outcome: 'limit', output: 'It subtracts in line 2; nothing is changed yet.' });
  });

  it('is told to look at the whole after three changes in a row', async () => {
    const edit = (line: number) => act('edit_file', { command: 'insert', path: 'sum.sh', insert_line: 0, new_str: `# ${line}` });
    const { model } = await played({
      default_agent: [edit(1), edit(2), edit(3), act('read_file', { path: 'sum.sh' }), done('Done.')],
    });
    expect(model.requests.map((request) => streamOf(request).includes('several changes in a row'))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(streamOf(model.requests.at(-1)).split('several changes in a row')).toHaveLength(2);
  });
});

describe('the orchestrator', () => {
  it('[A5.agents] [A5.call-child] [A5.return-types] [A5.child-flattening] [A5.event-stream] has a task analysed and carried out; one that needs help goes on by its id', async () => {
    const all = await played(
      {
        orchestrator: [
          calls('task_analyzer', 'How is the test mended?'),
          calls('task_executor', 'Make sum add, in sum.sh.'),
          calls('task_executor', 'The first one.', 'task_executor_3'),
          finish('success', 'sum adds.'),
        ],
        task_analyzer: [act('reading_read_file', { path: 'nowhere.sh' }), finish('success', 'Execution Plan: line 2 of sum.sh.')],
        task_executor: [
          finish('help_needed', 'Blocker: there are two. Attempts: none. Suggestion: the first.'),
          act('edit_file', { command: 'str_replace', path: 'sum.sh', old_str: '-', new_str: '+' }),
          test('long_shell_'),
          finish('success', 'It adds now.'),
        ],
      },
      { profile: 'orchestrator' },
    );
    const { run, model } = all;
    expect(run.state).toMatchObject({ outcome: 'success', output: 'sum adds.' });
    // F20: an agent of this team that ends with `help_needed` requested help.
    const events = told(await eventsOf(run, all.journal)).map(({ stream, event }) => `${String(stream)} ${event}`);
    expect(events).toContain('task_executor_3 agent_requested_help');
    expect(events).toContain('orchestrator_1 child_agent_agent_requested_help');
    expect(events.filter((event) => event.endsWith('task_interrupted'))).toEqual([]);
    expect([0, 1, 2].map((index) => dataOf(run, 'call_agent', index)['status'])).toEqual(['success', 'help_needed', 'success']);
    const again = model.requests.find((request) => streamOf(request).includes('FOLLOW_UP_REQUEST_FROM_PARENT'));
    expect(headings(streamOf(again))).toEqual([
      'Event 1 NEW_REQUEST_FROM_PARENT',
      'Event 2 ACTION',
      'Event 3 FOLLOW_UP_REQUEST_FROM_PARENT',
    ]);
    expect(agentHistory(run.state, agentOf(run, 'orchestrator').meta.agentId).map(({ depth, type }) => `${depth} ${type}`)).toEqual(
      [
        '0 NEW_REQUEST',
        '0 ACTION',
        '1 NEW_REQUEST_FROM_PARENT',
        '1 ACTION',
        '1 ACTION',
        '0 CHILD_AGENT_RESULT',
        '0 ACTION',
        '1 NEW_REQUEST_FROM_PARENT',
        '1 ACTION',
        '0 CHILD_AGENT_RESULT',
        '0 ACTION',
        '1 FOLLOW_UP_REQUEST_FROM_PARENT',
        '1 ACTION',
        '1 ACTION',
        '1 ACTION',
        '0 CHILD_AGENT_RESULT',
        '0 ACTION',
      ],
    );
    await verified(all);
  });

  it('[B.51] what an agent did for a task is a summary when it is sent on', async () => {
    const { run, model } = await played(
      {
        orchestrator: [
          calls('task_executor', 'Count.'),
          calls('task_executor', 'Now add.', 'task_executor_2'),
          finish('success', 'Done.'),
        ],
        task_executor: [
          act('long_shell_run_command', { command: 'seq 400' }),
          finish('success', 'Counted.'),
          finish('success', 'Added.'),
        ],
        summary: [{ text: 'It counted to 400.' }],
      },
      { profile: 'orchestrator' },
    );
    expect(run.state.outcome).toBe('success');
    const again = model.requests.find((request) => streamOf(request).includes('FOLLOW_UP_REQUEST_FROM_PARENT'));
    expect(headings(streamOf(again))).toEqual(['Events 1 to 2 SUMMARY', 'Event 3 ACTION', 'Event 4 FOLLOW_UP_REQUEST_FROM_PARENT']);
  });

  it('[A5.config] is bounded: four orchestrators one below the other, and no more', async () => {
    const down = calls('orchestrator', 'Go on below.');
    const { run } = await played(
      { orchestrator: [down, down, down, down, ...Array.from({ length: 4 }, () => finish('success', 'Back.'))] },
      { profile: 'orchestrator', input: 'Go down.' },
    );
    expect(run.state.outcome).toBe('success');
    expect(run.state.agents.size).toBe(4);
    const refused = turnsOf(run, 'orchestrator').flatMap((turn) =>
      turn.toolInteractions.filter(({ status }) => status === 'error'),
    );
    expect(refused.map(({ content }) => String(content))).toEqual([expect.stringContaining('refused')]);
  });

  it('[A5.agents] [A5.config] [A5.run-config] each kind has the tools and bounds of its own', async () => {
    const { profiles, toolsets } = await loadProfiles(path.join(import.meta.dirname, '../../agent_profiles/anges'), { env: {} });
    const kinds = ['default_agent', 'task_analyzer', 'task_executor', 'orchestrator'] as const;
    expect(
      kinds.map((name) => {
        const { contextPolicy, limits } = profiles.get(name) ?? {};
        return [
          name,
          limits?.maxTurns,
          contextPolicy?.compaction?.atActions,
          contextPolicy?.rendering?.full,
          contextPolicy?.rendering?.lines,
          contextPolicy?.truncate?.['tool_result'],
        ];
      }),
    ).toEqual([
      ['default_agent', 100, 50, 5, 20, 50_000],
      ['task_analyzer', 100, 50, 10, 20, 50_000],
      ['task_executor', 100, 50, 5, 20, 50_000],
      ['orchestrator', 300, 60, 50, 20, 50_000],
    ]);
    expect(['shell', 'long_shell'].map((name) => toolsets.get(name)?.settings['timeout'])).toEqual(['120s', '300s']);
    const offered = await Promise.all(
      kinds.map(async (name) => {
        const { model } = await played(
          { [name]: [name === 'default_agent' ? done('Done.') : finish('success', 'Done.')] },
          { profile: name },
        );
        return ['run_command', 'edit_file', 'read_file', 'ask_human', 'call_agent'].filter((tool) =>
          systemOf(model.requests[0] ?? ({ prompt: [] } as never)).includes(tool),
        );
      }),
    );
    expect(offered).toEqual([
      ['run_command', 'edit_file', 'read_file', 'ask_human'],
      ['run_command', 'read_file'],
      ['run_command', 'edit_file', 'read_file'],
      ['read_file', 'call_agent'],
    ]);
  });
});
