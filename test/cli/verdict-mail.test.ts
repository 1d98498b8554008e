import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, startForTest, temporaryFolder } from './cli-process.ts';

const files = {
  'agent_profiles/profiles/Clerk.yaml': `name: Clerk
tool_access_policy: { allowed_toolsets: [workspace, human] }
tool_gates: [{ id: ask, tools: [write_file], verdict: ask }]
flow_decider:
  - { id: call, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: rest, action: { type: await_user_input } }
`,
  'agent_profiles/llm_configs/default.yaml': `name: default
type: llm_config
config: { provider: scripted, script: scripts/clerk.yaml }
`,
  'agent_profiles/scripts/clerk.yaml': `rules:
  - when: len(tool_results) == 0
    reply: { tool_calls: [{ tool: write_file, args: { path: a.txt, content: one } }] }
  - when: len(tool_results) == 1
    reply: { tool_calls: [{ tool: ask_human, args: { question: Which?, choices: [red, green] } }] }
otherwise: "You said {{ last(tool_results).text }}"
`,
  'docs/a.md': '# A document\n',
};

it('what a process waits for is decided from another terminal, and the process goes on', async () => {
  const cwd = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  }
  const chat = startForTest(['chat', '--docs', 'docs'], { cwd, holdInput: true });
  chat.child.stdin?.write('Go.\n');
  await chat.until('write_file');
  await expect
    .poll(async () => (await runCli(['pending', 'last', '--json'], { cwd })).out, { timeout: 20_000 })
    .toContain('c00000001');
  const [run] = JSON.parse((await runCli(['runs', '--json'], { cwd })).out) as readonly { readonly runId: string }[];
  const folder = path.join(cwd, '.cadre', 'verdicts', run?.runId ?? '');
  // One whose writer is long gone does not count.
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'old.part'), JSON.stringify({ kind: 'approve', ids: ['c00000001'], always: false }));
  await utimes(path.join(folder, 'old.part'), 1_000, 1_000);
  await rename(path.join(folder, 'old.part'), path.join(folder, 'old.json'));
  await expect.poll(() => readdir(folder)).toEqual([]);
  const wrong = await runCli(['approve', 'last', 'c9', '--docs', 'docs'], { cwd });
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("no approval 'c9' is waiting") });
  const edited = await runCli(['approve', 'last', 'c00000001', '--edit', '{"path":"b.txt","content":"two"}', '--docs', 'docs'], {
    cwd,
  });
  expect(edited, edited.err).toMatchObject({ code: 0, err: expect.stringContaining('goes on in the process that has it') });
  await expect
    .poll(async () => (await runCli(['pending', 'last', '--json'], { cwd })).out, { timeout: 20_000 })
    .toContain('c00000002');
  expect((await runCli(['answer', 'last', 'c00000002', '2', '--docs', 'docs'], { cwd })).code).toBe(0);
  await chat.until('You said green');
  chat.child.stdin?.end();
  expect((await chat.finished).code).toBe(0);
  expect((await runCli(['turn', 'last', 't1'], { cwd })).out).toContain('b.txt');
}, 60_000);
