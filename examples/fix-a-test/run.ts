/**
 * Fix a test: an agent runs a failing test, reads the code, changes it, and runs the test again. The model is scripted; files
 * and commands are real. Run it from the project's folder:
 *
 *     npx node examples/fix-a-test/run.ts
 *
 * Commands run in a sandbox (`npm install @anthropic-ai/sandbox-runtime`, `apt-get install bubblewrap socat ripgrep`); with
 * `--no-sandbox` they do not. Exits with 1 when anything fails.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine } from '../../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { conclude, needsSandbox, unlessFailed } from '../checked.ts';

const isSandboxed = await needsSandbox();

const workspace = mkdtempSync(path.join(tmpdir(), 'fix-a-test-'));
writeFileSync(path.join(workspace, 'sum.sh'), 'sum() {\n  echo $(($1 - $2))\n}\n');
writeFileSync(
  path.join(workspace, 'test.sh'),
  '. ./sum.sh\n[ "$(sum 2 3)" = 5 ] || { echo "2 + 3 is 5, not $(sum 2 3)" >&2; exit 1; }\n',
);

const test = call('builder_shell_run_command', { command: 'bash test.sh' });
const replies = [
  test,
  call('read_file', { path: 'sum.sh' }),
  call('edit_file', { command: 'str_replace', path: 'sum.sh', old_str: '$1 - $2', new_str: '$1 + $2' }),
  test,
  call('terminate', { status: 'success', message: 'sum subtracted; now it adds.' }),
];

function call(name: string, args: Readonly<Record<string, string>>): ScriptedReply {
  return { toolCalls: [{ name, args }] };
}

await using engine = await createEngine({
  profiles: `${import.meta.dirname}/agent_profiles`,
  models: { fixer: scriptedModel(unlessFailed(replies)) },
  ...(isSandboxed ? {} : { toolsets: { builder_shell: { kind: 'shell', settings: { sandbox: false } } } }),
  store: 'memory',
  workspace,
});

const run = await engine.launch({ profile: 'Fixer', input: 'The test fails. Please fix it.' });
await run.result;

const calls = run.turns().flatMap((turn) => turn.toolInteractions);
for (const { name, content } of calls) {
  const line = typeof content === 'string' ? content.split('\n').find((text) => /^c\d+: |^[A-Z]/.test(text)) : undefined;
  console.log(`${name}: ${line ?? 'done'}`);
}
console.log(readFileSync(path.join(workspace, 'sum.sh'), 'utf8'));
const last = calls.findLast(({ name }) => name.endsWith('run_command'));
await conclude(run, { holds: { 'the test passes': String(last?.content).includes('exit code 0 ') } });
rmSync(workspace, { recursive: true });
