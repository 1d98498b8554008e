import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from './cli-process.ts';

const main = path.join(import.meta.dirname, '../../bin/cadre.mjs');
const shellAt = (name: string): string | undefined => [`/usr/bin/${name}`, `/bin/${name}`].find((place) => existsSync(place));

let cwd = '';
let searchPath = '';

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'cadre-completion-'));
  for (const words of [
    ['init', 'team'],
    ['run', '--docs', 'team/docs', '--profiles', 'team/agent_profiles', '--quiet', 'Tomatoes?'],
  ])
    expect((await runCli(words, { cwd })).code).toBe(0);
  await rename(path.join(cwd, 'team/agent_profiles'), path.join(cwd, 'agent_profiles'));
  // The command as it is on a user's path.
  await writeFile(path.join(cwd, 'cadre'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
  await chmod(path.join(cwd, 'cadre'), 0o755);
  searchPath = `${cwd}:${process.env['PATH'] ?? ''}`;
}, 60_000);

afterAll(async () => await rm(cwd, { recursive: true, force: true }));

async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { code, out, err } = await runCli(['complete', '--', ...words], { cwd });
  expect([code, err]).toEqual([0, '']);
  return out.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

/** What a shell offers after its script was read, in a project with one run. */
async function inShell(shell: string, flags: readonly string[], command: string): Promise<readonly string[]> {
  const env = { PATH: searchPath, HOME: cwd, TERM: 'dumb' };
  const { stdout } = await promisify(execFile)(shell, [...flags, '-c', command], { cwd, env });
  return stdout.split('\n').flatMap((line) => line.split('\t')[0]?.trim() || []);
}

describe('cadre complete', () => {
  it('offers commands, options, choices, and names of the project where they belong', async () => {
    expect(await complete('va')).toEqual(['validate']);
    expect(await complete('turn', 'last', 'Researcher_2')).toEqual(['Researcher_2.t1', 'Researcher_2.t2']);
    expect(await complete('run', '--quiet', '--llm', '')).toEqual(['default', 'offline', 'openai']);
    expect(await complete('run', '--rep')).toEqual(['--replay']);
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await complete('run', '--profiles', 'open')).toEqual(['openmanus']);
    const [last, id] = await complete('show', '');
    expect([last, id]).toEqual(['last', expect.stringMatching(/^run_/)]);
  });

  it('offers nothing, and reports no error, where a file belongs, for a command that is none, and without a journal', async () => {
    for (const words of [
      ['run', '--docs', ''],
      ['nonsense', ''],
      ['show', 'last', ''],
    ])
      expect(await complete(...words)).toEqual([]);
    const { out } = await runCli(['complete', '--', 'show', ''], { cwd: await temporaryFolder() });
    expect(out).toBe('');
  });
});

describe('cadre completion', () => {
  it('works in bash', async () => {
    const command = `eval "$(cadre completion bash)"; COMP_WORDS=(cadre turn last Lead_1.t); COMP_CWORD=3; _cadre_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(await inShell(shellAt('bash') ?? 'bash', [], command)).toEqual(['Lead_1.t1', 'Lead_1.t2', 'Lead_1.t3', 'Lead_1.t4']);
  });

  it('quotes names of the project in bash, which inserts candidates as they are', async () => {
    expect((await runCli(['move', 'last', '$(touch here) a;b'], { cwd })).code).toBe(0);
    const command = `eval "$(cadre completion bash)"; COMP_WORDS=(cadre runs --project ''); COMP_CWORD=3; _cadre_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const offered = await inShell(shellAt('bash') ?? 'bash', [], command);
    expect((await runCli(['move', 'last'], { cwd })).code).toBe(0);
    expect(offered).toEqual([String.raw`\$\(touch\ here\)\ a\;b`]);
  });

  it.skipIf(shellAt('zsh') === undefined)('works in zsh', async () => {
    const command = `compdef() { :; }; _files() { :; }; _describe() { print -l -- "\${(@P)2}"; }
eval "$(cadre completion zsh)"; words=(cadre va); CURRENT=2; _cadre_complete`;
    expect(await inShell(shellAt('zsh') ?? 'zsh', ['-f'], command)).toEqual([expect.stringMatching(/^validate:check profiles/)]);
  });

  it.skipIf(shellAt('fish') === undefined)('works in fish', async () => {
    const command = `cadre completion fish | source; complete -C 'cadre turn last Lead_1.t'`;
    expect(await inShell(shellAt('fish') ?? 'fish', ['--no-config'], command)).toEqual([
      'Lead_1.t1',
      'Lead_1.t2',
      'Lead_1.t3',
      'Lead_1.t4',
    ]);
  });
});
