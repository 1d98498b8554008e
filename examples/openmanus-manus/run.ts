/**
 * Manus: an agent of the system openmanus writes a program, runs it, fixes its error, and runs it again. The model is scripted; the file
 * and Python are real. Run it from the project's folder:
 *
 *     npx node examples/openmanus-manus/run.ts
 *
 * Python runs in a sandbox (`npm install @anthropic-ai/sandbox-runtime`, `apt-get install bubblewrap socat ripgrep`); with
 * `--no-sandbox` it does not. Exits with 1 when anything fails.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine } from '../../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { conclude, needsSandbox, unlessFailed } from '../checked.ts';

const isSandboxed = await needsSandbox();

const workspace = mkdtempSync(path.join(tmpdir(), 'openmanus-manus-'));

const program = `def primes(count):
    found = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(nubmer)
        number += 1
    return found


print(primes(10))
`;

/** The one intended failure: the agent reads it and fixes its program. */
const mended = /NameError: name 'nubmer'/;
const runIt = reply('I run it.', 'run_python', { code: 'import primes' });
const replies = [
  reply('A program that looks for primes, in a file of its own.', 'write_file', { path: 'primes.py', content: program }),
  runIt,
  reply('A name is misspelt. I mend that line alone.', 'edit_file', {
    command: 'str_replace',
    path: 'primes.py',
    old_str: 'nubmer',
    new_str: 'number',
  }),
  runIt,
  reply('', 'terminate', { status: 'success', message: 'primes.py prints the first ten primes: 2 to 29.' }),
];

function reply(text: string, name: string, args: Readonly<Record<string, string>>): ScriptedReply {
  return { text, toolCalls: [{ name, args }] };
}

await using engine = await createEngine({
  profiles: `${import.meta.dirname}/../../agent_profiles/openmanus`,
  models: { default: scriptedModel(unlessFailed(replies, mended)) },
  ...(isSandboxed ? {} : { toolsets: { python: { kind: 'python', settings: { sandbox: false } } } }),
  store: 'memory',
  workspace,
});

const run = await engine.launch({ profile: 'manus', input: 'Write a program that prints the first ten primes, and run it.' });
await run.result;

for (const { reply: said, toolInteractions } of run.turns()) {
  if (said.text !== '') console.log(said.text);
  for (const { name, content } of toolInteractions) console.log(`  ${name}: ${whatCame(content)}`);
}
if (existsSync(path.join(workspace, 'primes.py'))) console.log(readFileSync(path.join(workspace, 'primes.py'), 'utf8'));
const printed = run
  .turns()
  .flatMap(({ toolInteractions }) => toolInteractions)
  .findLast(({ name }) => name === 'run_python')?.content;
await conclude(run, {
  mended,
  holds: {
    'the program prints the first ten primes': String(printed).includes('[2, 3, 5, 7, 11, 13, 17, 19, 23, 29]'),
  },
});
rmSync(workspace, { recursive: true });

/** Returns the last non-empty line of a result. */
function whatCame(content: unknown): string {
  const lines = typeof content === 'string' ? content.trim().split('\n') : [];
  return lines.findLast((line) => /Error|^\[|^[A-Z]/.test(line)) ?? 'done';
}
