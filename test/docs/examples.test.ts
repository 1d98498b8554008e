import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathWithoutSandbox } from '../support/path-without-sandbox.ts';
import { whyNoSandbox } from '../tools/toolset-under-test.ts';
import { codeWords, readPages, root } from './read-markdown.ts';
import { compileCache } from './run-typescript.ts';

/** Every program that a page says to run, as it says it, without further flags. */
const commands = [
  ...new Set(
    readPages().flatMap(({ prose }) => codeWords(prose).flatMap((word) => word.match(/examples\/[\w-]+\/run\.ts$/) ?? [])),
  ),
].toSorted();

/** What each example prints, in this order. */
const printed: Readonly<Record<string, RegExp>> = {
  'agent-framework-orchestrator':
    /delegation_chosen orchestrator data_manager\n[^]*worker_tool_call table_worker query_database\n[^]*completed: revenue by region: South 4450, North 3590, West 1480 \(tables\/sales\.csv\)\.[^]*texts\/returns\.md:3: Kettles may be returned within 30 days/,
  'anges-fix-a-test':
    /run_command: c1: exit code 1 [^]*edit_file: [^]*run_command: c2: exit code 0 [^]*## Events 1 to 5 TYPE: SUMMARY\nNEW_REQUEST [^]*completed: Before it, only the first hyphen/,
  'ask-the-clerk':
    /^(?:(?!"agent_id")[^])*"agent_id":"Clerk_2"(?:(?!"agent_id")[^])*"agent_id":"Clerk_3"(?:(?!"agent_id")[^])*"agent_id":"Clerk_2"(?:(?!"agent_id")[^])*"agent_id":"Clerk_2"(?:(?!"agent_id")[^])*completed: tea\.txt is the longer one\. It begins: 1: Boil the water\./,
  'commonground-research':
    /check_links \(ok\): .*1 lead nowhere[^]*check_links \(ok\): .*all of them lead somewhere[^]*(\d) of \1 quotations were checked and hold\./,
  'fix-a-test': /run_command: c1: exit code 1 [^]*run_command: c2: exit code 0 [^]*completed: sum subtracted; now it adds/,
  'hello-team':
    /WM_1 French: \{"greeting":"Bonjour"\}\n[^]*WM_2 Swahili: \{"greeting":"Jambo"\}[^]*completed: Both greetings came back/,
  'openmanus-data-analysis':
    /Coffee \| 5397[^]*draw_chart: Drawn: charts\/revenue_by_product\.svg[^]*completed: In sales\.csv the greatest revenue is that of Coffee: 5397 in all\.[^]*\(\d{4,} bytes\)/,
  'openmanus-manus':
    /run_python: NameError[^]*edit_file: Edited[^]*run_python: \[2, 3, 5, 7, 11, 13, 17, 19, 23, 29\][^]*completed: primes\.py/,
  'seeingeye-picture':
    /Seen in 529 bytes[^]*What holds it up there\?[^]*Seen in 529 bytes[^]*What shape has it\?[^]*Seen in 529 bytes[^]*iteration 3 of 3, step 'reason'\n {2}reasoner \[required\] submit_answer[^]*completed: B: a kite/,
};
const needSandbox = ['anges-fix-a-test', 'fix-a-test', 'openmanus-manus'];
const namesOf = (files: readonly string[]): string[] => files.map((file) => path.basename(path.dirname(file)));
const needNone = namesOf(commands).filter((name) => !needSandbox.includes(name));

/** Runs an example as a reader does, with these programs of the machine. */
function runExample(name: string, searchPath: string | undefined, flags: readonly string[] = []) {
  const env = { ...process.env, ...compileCache, ...(searchPath === undefined ? {} : { PATH: searchPath }) };
  const file = `examples/${name}/run.ts`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...flags], { cwd: root, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the examples that pages name (F18)', { timeout: 120_000 }, () => {
  it('are these', () => {
    expect(namesOf(commands).filter((name) => printed[name] === undefined)).toEqual([]);
    expect(namesOf(commands)).toEqual(expect.arrayContaining(needSandbox));
    expect(commands.length).toBeGreaterThan(7);
  });

  it.each(needNone)('%s prints what its page says, on a machine without a sandbox', (name) => {
    const expected = { status: 0, stderr: '', stdout: expect.stringMatching(printed[name] ?? /^$/) as unknown };
    expect(runExample(name, pathWithoutSandbox())).toEqual(expected);
  });

  it.each(needSandbox)('%s says before it starts which sandbox to install, and which flag does without', (name) => {
    const { status, stdout, stderr } = runExample(name, pathWithoutSandbox());
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/bubblewrap[^]*apt-get install[^]*--no-sandbox/);
  });

  it.each(needSandbox)('%s prints what its page says without a sandbox, with the flag it names', (name) => {
    const { status, stdout } = runExample(name, pathWithoutSandbox(), ['--no-sandbox']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(printed[name] ?? /^$/) });
  });

  it.skipIf(whyNoSandbox() !== undefined).each(needSandbox)('%s prints what its page says, in a sandbox', (name) => {
    const expected = { status: 0, stderr: '', stdout: expect.stringMatching(printed[name] ?? /^$/) as unknown };
    expect(runExample(name, undefined)).toEqual(expected);
  });

  it('one whose tool fails ends with 1, says which, and claims no success', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-path-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync('/bin/sh', path.join(folder, 'sh'));
    const { status, stdout, stderr } = runExample('openmanus-manus', folder, ['--no-sandbox']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/error: run_python failed: [^]*error: the run ended with error: /);
    expect(stdout).not.toContain('completed');
  });
});
