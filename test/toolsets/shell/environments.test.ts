import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Resources } from '../../../src/engine/effects/resources.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { put } from '../../files/git-traps.ts';
import { toolsetUnderTest, whyNoSandbox, type ToolsetUnderTest } from '../../tools/toolset-under-test.ts';

const reason = whyNoSandbox();
if (reason !== undefined) console.warn(`tests in a sandbox are skipped: ${reason}`);

const engine = new Resources('the engine');
let open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open) await close();
  open = [];
});
afterAll(async () => await engine.closeAll(), 60_000);

function openShell(settings: JsonObject = {}): ToolsetUnderTest {
  const live = { agent: new Resources('the agent'), run: new Resources('the run'), engine };
  const shell = toolsetUnderTest(shellToolset, { grace: '300ms', ...settings }, live);
  open.push(async () => {
    await live.agent.closeAll();
    rmSync(shell.workspace, { recursive: true, force: true });
  });
  return shell;
}

/** A package with a program, linked as npm does it. */
function install(folder: string, name: string): void {
  put(folder, `node_modules/${name}/cli.js`, 'text');
  put(folder, `node_modules/${name}/package.json`, JSON.stringify({ name, bin: 'cli.js' }));
  mkdirSync(path.join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(`../${name}/cli.js`, path.join(folder, `node_modules/.bin/${name}`));
}

const hasVenv = existsSync('/usr/bin/python3');

describe.skipIf(reason !== undefined)('F77: environments in a sandbox', () => {
  it.each(['.venv', 'venv', 'env', 'tools/other', '.venv/../.VENV'])('a planted interpreter in %s is moved away', async (name) => {
    const shell = openShell();
    const answer = await shell.call('run_command', {
      command: `mkdir -p ${name}/bin; echo x >${name}/bin/python; echo x >${name}/bin/python3; echo x >${name}/bin/activate; echo home=/ >${name}/pyvenv.cfg; mkdir -p ${name}/lib/python3/site-packages; echo import x >${name}/lib/python3/site-packages/x.pth`,
    });
    expect(answer.isError).toBe(true);
    expect(answer.content).toMatch(/read by environments[^]*allow_writes: \[[^]*python3 -m venv "\$HOME\/env"/);
    const left = readdirSync(shell.workspace, { recursive: true, encoding: 'utf8' }).filter((file) => !file.startsWith('.cadre'));
    expect(left.filter((file) => /python$|python3$|activate$|pyvenv|\.pth$/.test(file) && !file.endsWith('lib/python3'))).toEqual(
      [],
    );
  });

  it('an existing environment cannot be changed, whatever its name', async () => {
    const shell = openShell();
    for (const name of ['.venv', 'mine']) {
      put(shell.workspace, `${name}/pyvenv.cfg`, 'home = /usr/bin\n');
      put(shell.workspace, `${name}/bin/python`, 'original');
      put(shell.workspace, `${name}/lib/site-packages/a.py`, 'original');
    }
    const answer = await shell.call('run_command', {
      command: `for v in .venv mine; do echo evil >$v/bin/python; rm $v/bin/python; echo evil >$v/lib/site-packages/e.pth; echo evil >$v/lib/site-packages/a.py; mv $v x$v; rm -rf $v; done; echo work >a.txt`,
    });
    for (const name of ['.venv', 'mine']) {
      expect(readFileSync(path.join(shell.workspace, name, 'bin/python'), 'utf8')).toBe('original');
      expect(readdirSync(path.join(shell.workspace, name, 'lib/site-packages'))).toEqual(['a.py']);
      expect(readFileSync(path.join(shell.workspace, name, 'lib/site-packages/a.py'), 'utf8')).toBe('original');
    }
    expect([readFileSync(path.join(shell.workspace, 'a.txt'), 'utf8'), String(answer.content)]).toEqual([
      'work\n',
      expect.stringContaining('Read-only'),
    ]);
  });

  it('a part of an environment, put into a folder of the user, does not move that folder', async () => {
    const shell = openShell();
    put(shell.workspace, 'src/a.ts', 'work');
    const answer = await shell.call('run_command', { command: 'echo home=/ >src/pyvenv.cfg; echo x >pyvenv.cfg' });
    expect(answer.isError).toBe(true);
    expect(readdirSync(path.join(shell.workspace, 'src'))).toEqual(['a.ts']);
  });

  it.skipIf(!hasVenv)('ordinary work: an environment in the home of the session, or where allow_writes names it', async () => {
    const shell = openShell({ allow_writes: ['.venv'] });
    const answer = await shell.call('run_command', {
      command:
        '/usr/bin/python3 -m venv --without-pip "$HOME/env" && "$HOME/env/bin/python" -c "print(1+1)"; /usr/bin/python3 -m venv --without-pip .venv && .venv/bin/python -c "print(40+2)"',
      timeout: 80,
    });
    expect(answer).toMatchObject({ content: expect.stringMatching(/2[^]*42/) as unknown });
    expect(answer.isError).toBeUndefined();
    expect(existsSync(path.join(shell.workspace, '.venv/bin/python'))).toBe(true);
  });

  it('what npm installs stays, with the links to its programs', async () => {
    const npm = realpathSync(execFileSync('/bin/sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
    // A clone in the folder for temporary files has its Node there, too.
    const shell = openShell({ read: [process.execPath, npm].map((program) => path.dirname(path.dirname(program))) });
    put(
      shell.workspace,
      'parts/tool/package.json',
      JSON.stringify({ name: 'tool', version: '1.0.0', bin: { 'my-tool': 'cli.js' } }),
    );
    put(shell.workspace, 'parts/tool/cli.js', '#!/usr/bin/env node\nconsole.log("tool runs");\n');
    put(shell.workspace, 'package.json', JSON.stringify({ name: 'x', dependencies: { tool: 'file:parts/tool' } }));
    const command = `'${process.execPath}' '${npm}' install --offline --no-audit --no-fund && node_modules/.bin/my-tool`;
    const answer = await shell.call('run_command', { command, timeout: 80 });
    expect(answer).toMatchObject({ content: expect.stringContaining('tool runs') as unknown });
    expect(answer.isError).toBeUndefined();
    expect(lstatSync(path.join(shell.workspace, 'node_modules/.bin/my-tool')).isSymbolicLink()).toBe(true);
  });

  it('programs that take the place of others in `node_modules/.bin` are moved away, and those no installer made', async () => {
    const shell = openShell();
    install(shell.workspace, 'prettier');
    install(shell.workspace, 'node');
    put(shell.workspace, 'evil/x', 'evil');
    const answer = await shell.call('run_command', {
      command: `cd node_modules/.bin; echo evil >git; echo evil >stray; ln -s ../prettier/cli.js ls; ln -s ../../evil/x tool; rm node; cp ../../evil/x node; ln -s ../prettier/cli.js other; cd ../..; mkdir -p sub/real/.bin; echo evil >sub/real/.bin/git; ln -s real sub/node_modules`,
    });
    expect(answer.isError).toBe(true);
    expect(readdirSync(path.join(shell.workspace, 'node_modules/.bin')).toSorted()).toEqual(['other', 'prettier']);
    expect(existsSync(path.join(shell.workspace, 'sub/node_modules'))).toBe(false);
  });
});
