/**
 * Anges fixes a test: the default agent of `agent_profiles/anges` runs the failing test of a small project, reads the code, changes a
 * line, runs the test again, and answers a question about it. Its prompt is a stream of numbered events, in which the finished task
 * appears as a summary by the time of the question. The model is scripted; files and commands are real. Run it from the project's folder:
 *
 *     npx node examples/anges-fix-a-test/run.ts
 *
 * Commands run in a sandbox (`npm install @anthropic-ai/sandbox-runtime`, `apt-get install bubblewrap socat ripgrep`); with
 * `--no-sandbox` they do not. Exits with 1 when anything fails.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine } from '../../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { conclude, needsSandbox, unlessFailed } from '../checked.ts';

const isSandboxed = await needsSandbox();

const workspace = mkdtempSync(path.join(tmpdir(), 'anges-fix-a-test-'));
cpSync(path.join(import.meta.dirname, 'repository'), workspace, { recursive: true });

/** Returns a reply in the protocol `json_actions`: an analysis and one action. */
function act(analysis: string, tool: string, args: Readonly<Record<string, string | number>>): ScriptedReply {
  return { text: JSON.stringify({ analysis, reasoning: '', actions: [{ tool, args }] }) };
}

function answer(words: string): ScriptedReply {
  return { text: JSON.stringify({ analysis: '', reasoning: '', actions: [], answer: words }) };
}

const replies = [
  act('First I see what fails.', 'run_command', { command: 'node --test' }),
  act('Only one of the two hyphens went. How are they taken off?', 'read_file', { path: 'slug.mjs' }),
  act('Without the flag g, replace takes off the first alone.', 'edit_file', {
    command: 'replace_lines',
    path: 'slug.mjs',
    from_line: 6,
    to_line: 6,
    new_str: "    .replace(/^-|-$/g, '');",
  }),
  act('Does it hold?', 'run_command', { command: 'node --test' }),
  answer('The test passes: line 6 of slug.mjs takes off hyphens at both ends now.'),
  // The summary that replaces these events when the next question comes.
  { text: '# What was asked\nMend the failing test.\n# What was done\nslug.mjs, line 6: the flag g; `node --test` passes.' },
  act('The summary says it.', 'done_terminate', { status: 'success', message: 'Before it, only the first hyphen was taken off.' }),
];

await using engine = await createEngine({
  profiles: path.join(import.meta.dirname, '../../agent_profiles/anges'),
  env: { ...process.env, CADRE_MODEL: 'scripted' },
  models: { scripted: scriptedModel(unlessFailed(replies)) },
  ...(isSandboxed ? {} : { toolsets: { shell: { kind: 'shell', settings: { sandbox: false } } } }),
  store: 'memory',
  workspace,
});

const run = await engine.launch({ profile: 'default_agent', input: 'The test of this project fails. Please fix it.' });
await run.settled();
if (run.state.outcome === undefined) await run.send('What was wrong?');
await run.settled();

const calls = run.turns().flatMap((turn) => turn.toolInteractions);
for (const { name, content } of calls) {
  const line = typeof content === 'string' ? content.split('\n').find((text) => /^c\d+: |^[A-Z]/.test(text)) : undefined;
  console.log(`${name}: ${line ?? 'done'}`);
}
const last =
  run
    .turns()
    .at(-1)
    ?.prompt.spans.filter(({ role }) => role === 'user') ?? [];
console.log(last.map(({ text }) => text).join(''));
console.log(readFileSync(path.join(workspace, 'slug.mjs'), 'utf8'));
const test = calls.findLast(({ name }) => name === 'run_command');
await conclude(run, { holds: { 'the test passes': String(test?.content).includes('exit code 0 ') } });
rmSync(workspace, { recursive: true });
