import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathWithoutSandbox } from '../support/path-without-sandbox.ts';
import { whyNoSandbox } from '../tools/toolset-under-test.ts';
import { codeWords, readPages, root } from './read-markdown.ts';

/** Every program that a page says to run, as it says it, without further flags. */
const commands = [
  ...new Set(
    readPages().flatMap(({ prose }) => codeWords(prose).flatMap((word) => word.match(/examples\/[\w-]+\/run\.ts$/) ?? [])),
  ),
].toSorted();
const needSandbox = ['examples/anges-fix-a-test/run.ts', 'examples/fix-a-test/run.ts', 'examples/openmanus-manus/run.ts'];

/** Runs a program as a reader does, with these programs of the machine. */
function runExample(file: string, searchPath: string | undefined, flags: readonly string[] = []) {
  const env = { ...process.env, ...(searchPath === undefined ? {} : { PATH: searchPath }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...flags], { cwd: root, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the examples that pages name (F18)', { timeout: 120_000 }, () => {
  it('are these', () => {
    expect(commands).toEqual(expect.arrayContaining(needSandbox));
    expect(commands.length).toBeGreaterThan(7);
  });

  it.each(commands)(
    '%s works on a machine without a sandbox, or says before it starts what to install and which flag does without',
    (file) => {
      const { status, stdout, stderr } = runExample(file, pathWithoutSandbox());
      if (!needSandbox.includes(file)) return expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/bubblewrap[^]*apt-get install[^]*--no-sandbox/);
      return undefined;
    },
  );

  it.each(needSandbox)('%s works there with the flag it names', (file) => {
    const { status, stdout } = runExample(file, pathWithoutSandbox(), ['--no-sandbox']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/completed: /) });
  });

  it.skipIf(whyNoSandbox() !== undefined).each(needSandbox)('%s works as the page says it, in a sandbox', (file) => {
    expect(runExample(file, undefined)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/completed: /) });
  });

  it('one whose tool fails ends with 1, says which, and claims no success', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-path-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync('/bin/sh', path.join(folder, 'sh'));
    const { status, stdout, stderr } = runExample('examples/openmanus-manus/run.ts', folder, ['--no-sandbox']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/error: run_python failed: [^]*error: the run ended with error: /);
    expect(stdout).not.toContain('completed');
  });
});
