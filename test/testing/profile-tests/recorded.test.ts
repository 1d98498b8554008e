import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, type Run } from '../../../src/index.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../../src/testing/index.ts';
import type { ToolsetHost } from '../../../src/core/tool/toolset.ts';
import { formatCase } from '../../../src/testing/suite/format-suite.ts';
import { writeTest } from '../../../src/testing/suite/write-test.ts';
import type { RecordedSource } from '../../../src/testing/play/recorded-source.ts';
import { run, teamFolder } from './team.ts';

/** Records a run of the clerk and returns it with its events. */
async function record(
  folder: string,
  replies: readonly (ScriptedReply | string)[],
): Promise<{ readonly recorded: Run; readonly source: RecordedSource }> {
  const store = createMemoryJournal();
  await using engine = await createEngine({ profiles: folder, models: { '*': scriptedModel(replies) }, store, env: {} });
  const recorded = await engine.launch({ profile: 'Clerk', input: 'File my letter.' });
  await recorded.settled();
  return { recorded, source: { events: await store.read(recorded.id), content: (hash) => store.content(hash) } };
}

/** Writes the test of a turn beside the clerk; returns the differences that writing it found. */
async function write(folder: string, source: RecordedSource, recorded: Run, turnId: string): Promise<readonly string[]> {
  const turn = recorded.state.turns.get(turnId as never);
  if (turn === undefined) throw new Error(`no turn ${turnId}`);
  const recordingPath = '__recordings__/run.json';
  const made = await writeTest({ ...source, turn }, { profiles: folder, recordingPath, redaction: { at: 0, env: {}, homes: [] } });
  await mkdir(path.join(folder, 'profiles', '__recordings__'), { recursive: true });
  await writeFile(path.join(folder, 'profiles', recordingPath), made.recording);
  await writeFile(path.join(folder, 'profiles', 'turn.test.yaml'), made.text);
  return made.differences;
}

const replies = [
  { text: 'I look.', toolCalls: [{ name: 'list_files', args: { glob: '*.md' } }] },
  { toolCalls: [{ name: 'manage_work_modules', args: { actions: [{ action: 'create', name: 'File it', description: 'Now.' }] } }] },
  'It is filed.',
];

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

describe('a test written from a recorded turn', () => {
  it('passes at once, and fails with a readable diff once the profile is changed', async () => {
    const folder = await teamFolder({});
    const { recorded, source } = await record(folder, replies);
    expect(await write(folder, source, recorded, 'Clerk_1.t2')).toEqual([]);

    const first = await run(folder);
    expect(first.problems).toEqual([]);
    expect(first.cases).toMatchObject([{ profile: 'Clerk', failures: [] }]);
    expect(first.written).toHaveLength(1);

    await edit(path.join(folder, 'profiles', 'Clerk.yaml'), 'You file papers.', 'You file letters.');
    await edit(path.join(folder, 'profiles', 'Clerk.yaml'), 'condition: state.current_action', 'condition: "false"');
    const [changed] = (await run(folder)).cases;
    if (changed === undefined) throw new Error('no case');
    const text = formatCase(changed);
    expect(text).toContain('    - You file papers.\n    + You file letters.');
    expect(text).toContain('another rule decided');
    expect(text).toContain('    - call\n    + done');
    expect(text).toMatch(/turn\.test\.yaml:\d+:\d+: the prompt differs from/);
  });

  it('says what is expected in words that an author can edit', async () => {
    const folder = await teamFolder({});
    const { recorded, source } = await record(folder, replies);
    await write(folder, source, recorded, 'Clerk_1.t2');
    const text = await readFile(path.join(folder, 'profiles', 'turn.test.yaml'), 'utf8');
    expect(text).toContain(`from: __recordings__/run.json/Clerk_1.t2`);
    expect(text).toContain('recorded: true');
    expect(text).toContain('rule: call');
    expect(text).toContain('team.work_modules.WM_1.status: pending');
    expect(text).toContain('flags.turns: 2');
    expect(text).toContain('tool: manage_work_modules');
  });

  it('holds the recorded results of tools, and a reply may be replaced', async () => {
    const folder = await teamFolder({});
    const { recorded, source } = await record(folder, replies);
    await write(folder, source, recorded, 'Clerk_1.t1');
    const file = path.join(folder, 'profiles', 'turn.test.yaml');
    await writeFile(
      file,
      `profile: Clerk
cases:
  - name: as recorded
    given: { from: __recordings__/run.json/t1 }
    reply: { recorded: true }
    expect: { rule: call, tool_calls: [{ tool: list_files, args: { glob: "*.md" }, status: ok }] }
  - name: with another reply
    given: { from: __recordings__/run.json/t1 }
    reply: Nothing to do.
    expect: { rule: done, tool_calls: [], prompt: { contains: File my letter. } }
`,
    );
    const { cases, problems } = await run(folder);
    expect(problems).toEqual([]);
    expect(cases.map((result) => formatCase(result))).toEqual(['ok Clerk: as recorded', 'ok Clerk: with another reply']);
  });

  it('that is changed by today’s profiles says so when it is written', async () => {
    const folder = await teamFolder({});
    const { recorded, source } = await record(folder, replies);
    await edit(path.join(folder, 'profiles', 'Clerk.yaml'), 'condition: state.current_action', 'condition: "false"');
    expect(await write(folder, source, recorded, 'Clerk_1.t1')).toEqual([
      'rule: call when it was recorded, done now',
      expect.stringContaining('calls: list_files (ok) when it was recorded'),
    ]);
  });
});

it('tools that a server offered in the recorded run are declared in the test, which connects to nothing', async () => {
  const folder = await teamFolder({
    'profiles/Clerk.yaml':
      'name: Clerk\ntype: partner\nllm_config_ref: default\ninstructions: You call.\ntool_access_policy: { allowed_toolsets: [far] }\n',
    'toolsets/far.yaml': 'type: toolset\nname: far\nkind: mcp\nsettings: { url: "http://127.0.0.1:9/mcp" }\n',
  });
  const ping = {
    name: 'far_ping',
    toolset: 'far',
    description: 'Pings.',
    parameters: { type: 'object' },
    effect: 'pure',
    execute: () => 'pong',
  };
  const far = () => ({
    tools: [],
    connect: ({ setTools, setHealth }: ToolsetHost) => {
      setTools([ping]);
      setHealth({ status: 'ready' });
    },
  });
  const store = createMemoryJournal();
  const model = scriptedModel([{ toolCalls: [{ name: 'far_ping', args: {} }] }, 'It answers.']);
  await using engine = await createEngine({ profiles: folder, models: { '*': model }, toolsets: { far }, store, env: {} });
  const recorded = await engine.launch({ profile: 'Clerk', input: 'Is it there?' });
  await recorded.settled();
  const source: RecordedSource = { events: await store.read(recorded.id), content: (hash) => store.content(hash) };
  expect(await write(folder, source, recorded, 'Clerk_1.t1')).toEqual([]);
  expect(await readFile(path.join(folder, 'profiles', 'turn.test.yaml'), 'utf8')).toContain('far_ping:\n    toolset: far\n');
  const { cases, problems } = await run(folder);
  expect(problems).toEqual([]);
  expect(cases.map((result) => formatCase(result))).toEqual([expect.stringMatching(/^ok Clerk: Clerk_1\.t1 of run_/)]);
});

describe('a recording that does not fit is a problem of the test file', () => {
  const caseOf = (from: string, profile = 'Clerk'): string =>
    `profile: ${profile}\ncases:\n  - name: a\n    given: { from: ${from} }\n    expect: { rule: call }\n`;

  async function problemOf(test: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const folder = await teamFolder({});
    const { recorded, source } = await record(folder, replies);
    await write(folder, source, recorded, 'Clerk_1.t2');
    await writeFile(path.join(folder, 'profiles', 'turn.test.yaml'), test);
    for (const [name, text] of Object.entries(more)) await writeFile(path.join(folder, name), text);
    const { problems, cases } = await run(folder);
    expect(cases).toEqual([]);
    return problems.map(({ source: at, message }) => `${at.line}:${at.column} ${message}`).join('\n');
  }

  it('a turn that was not recorded', async () => {
    expect(await problemOf(caseOf('__recordings__/run.json/Clerk_1.t7'))).toBe(
      "4:20 __recordings__/run.json has no turn 'Clerk_1.t7'; it has: Clerk_1.t1, Clerk_1.t2",
    );
  });

  it('a turn of another profile', async () => {
    const other =
      'name: Other\ntype: partner\nllm_config_ref: default\ninstructions: a\nflow_decider: [{ id: call, action: { type: await_user_input } }]\n';
    expect(await problemOf(caseOf('__recordings__/run.json/t1', 'Other'), { 'profiles/Other.yaml': other })).toContain(
      'Clerk_1.t1 is a turn of profile Clerk, and the case is about Other; write profile: Clerk',
    );
  });

  it('a recording of other profiles', async () => {
    const renamed = 'name: Clark\ntype: partner\nllm_config_ref: default\ninstructions: a\n';
    expect(await problemOf(caseOf('__recordings__/run.json/t1'), { 'profiles/Clerk.yaml': renamed })).toContain(
      "there is no profile 'Clerk'",
    );
  });

  it('a file that is no recording', async () => {
    expect(await problemOf(caseOf('Clerk.yaml/t1'))).toContain('Clerk.yaml: ');
  });
});
