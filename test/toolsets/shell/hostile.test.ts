import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import { CapturedOutput } from '../../../src/toolsets/process/captured-output.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { isAlive, toolsetUnderTest, whyNoSandbox } from '../../tools/toolset-under-test.ts';

const reason = whyNoSandbox();
const canSandbox = reason === undefined;
if (!canSandbox) console.warn(`tests in a sandbox are skipped: ${reason}`);

const shell = toolsetUnderTest(shellToolset, {
  sandbox: false,
  grace: '100ms',
  max_output_mb: 1,
  max_file_mb: 1,
  max_processes: 50,
});
const { workspace } = shell;
let count = 0;

afterAll(async () => {
  await shell.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** Seconds for commands that end by themselves, also on a busy machine. */
const patient = 6;

/** Runs a command in a session of its own, then shows that the session is usable. */
async function hostile(command: string, more: JsonObject = {}): Promise<string> {
  count += 1;
  const session = `hostile-${count}`;
  const { content } = await shell.call('run_command', { command, session, timeout: 0.5, ...more });
  expect(await shell.run('run_command', { command: 'unset -f echo builtin; builtin echo usable', session })).toContain('usable');
  return String(content);
}

describe('S8: hostile commands', () => {
  it.each<[what: string, command: string, said: RegExp, timeout?: number]>([
    ['a quote that is not closed', `echo 'abc`, /exit code [12]/],
    ['a here document that is not closed', 'cat <<END\nabc', /abc/],
    ['one that looks like an option', '--version; -c "echo x"', /exit code 127/],
    ['one of nothing but blanks', '   \n\t', /exit code 0[^]*no output/],
    ['a prompt for a person', 'read -r -p "Sure? " answer; echo "[$answer]"', /\[\]/],
    ['a prompt on the terminal', 'read -r answer </dev/tty || echo nobody', /nobody/],
    ['one that stops its own shell', 'kill -STOP $$', /took longer than its timeout/, 0.5],
    ['one that closes its streams', 'echo before; exec 0<&- 1>&- 2>&-; echo after', /before/],
    ['a child that holds the streams', '(trap "" TERM HUP; sleep 1000) & disown; echo parent', /exit code 0[^]*parent/],
    [
      'a daemon in a session of its own',
      'setsid -f sleep 1000; nohup sleep 1000 >/dev/null 2>&1 & echo parent',
      /left running were ended/,
    ],
    // Bounded by itself, for the sake of the machine; 500 processes would be ten times what is allowed.
    ['a fork bomb', 'b() { [ $1 -gt 8 ] || { b $(($1 + 1)) | b $(($1 + 1)) & sleep 1000; }; }; b 0; wait', /too many processes/],
    ['bytes that are no text', 'printf "a\\377\\376\\000b\\033[31mred\\033[0m\\n"', /a��.bred/u],
    ['a file without end', 'head -c 5000000 /dev/zero >big; ls -l big', /File size limit|File too large|1048576/],
    ['its own end trapped', 'trap "echo mine" EXIT; exit 5', /exit code 5[^]*was not kept[^]*mine/],
    ['builtins put out of use', 'echo() { exit 9; }; builtin() { :; }; cd /; declare() { :; }', /exit code 0/],
    ['nothing is executed any more', 'set -n; echo x', /./],
    ['an option that ends shells', 'set -euo pipefail; false; echo unreached', /exit code 1/],
    ['a state that is too long', 'big=$(head -c 9000000 /dev/zero | tr "\\0" x)', /was not kept/],
    ['a folder that goes away', 'mkdir -p gone; cd gone; rmdir ../gone', /exit code 0/],
    ['secrets of another process', 'cat /proc/$PPID/environ | tr "\\0" "\\n" | grep -c CADRE_TEST_SECRET', /./],
  ])('%s: is answered in bounded time, and the session is usable', async (_what, command, said, timeout = patient) => {
    const started = performance.now();
    expect(await hostile(command, { timeout })).toMatch(said);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('a command of a megabyte runs; what is longer, or has NUL in it, is refused', async () => {
    const long = `echo start\n${'# filling\n'.repeat(100_000)}echo end`;
    expect(await shell.run('run_command', { command: long })).toContain('start\nend');
    await expect(shell.run('run_command', { command: `${'x'.repeat(1024 * 1024)}x` })).rejects.toMatchObject({
      code: 'TOOL_ARGUMENTS_INVALID',
    });
    await expect(shell.run('run_command', { command: 'echo a\0; touch pwned' })).rejects.toMatchObject({
      code: 'TOOL_ARGUMENTS_INVALID',
    });
    expect(existsSync(path.join(workspace, 'pwned'))).toBe(false);
  });

  it('arguments that would lead elsewhere are refused', () => {
    const tools = shellToolset.create({ name: 'shell', settings: {}, toolName: (tool) => tool }).tools as readonly EffectTool[];
    const check = (args: JsonObject): boolean => tools[0]?.check({ command: 'true', ...args }).ok ?? false;
    expect(check({})).toBe(true);
    for (const session of ['../up', 'a/b', 'a b', '$(touch x)', '', 'x'.repeat(61)])
      expect(check({ session }), session).toBe(false);
    for (const args of [{ timeout: 0 }, { timeout: -1 }, { timeout: 1e9 }, { cwd: '/' }, { stdin: 1 }])
      expect(check(args)).toBe(false);
  });

  it('long output is not cut within a word, where half a secret would not be known for one', () => {
    const secret = 'tok-canary-5-ABCDEFGHIJKLMNOP';
    const text = Buffer.from(`${'some words '.repeat(20)}${secret} ${'and more '.repeat(20)}\n`.repeat(4));
    for (let max = 60; max < text.length; max += 1) {
      const output = new CapturedOutput();
      output.add(text);
      expect(output.view(max).replaceAll(secret, '')).not.toMatch(/tok|canary|ABC|NOP/);
    }
  });

  it('no more than 16 commands run at a time', async () => {
    const own = toolsetUnderTest(shellToolset, { sandbox: false });
    for (let index = 0; index < 16; index += 1) await own.run('run_command', { command: 'sleep 1000', background: true });
    await expect(own.run('run_command', { command: 'true' })).rejects.toThrow('16 commands are running (c1, c2,');
    await own.close();
  });

  it.skipIf(!canSandbox)('nothing in names gets out of its quotes', async () => {
    const named = toolsetUnderTest(shellToolset, { sandbox: true, env: { ODD: `'"$(touch pwned)\`touch pwned\`\n;touch pwned` } });
    const odd = path.join(named.workspace, `o'dd "$(touch pwned)" ;&\n x`);
    mkdirSync(odd);
    const text = await named.run(
      'run_command',
      { command: 'pwd; printf %s "$ODD"; touch made', stdin: "'; touch pwned" },
      { ...named.context, workspace: odd },
    );
    expect(text).toContain(`${odd}\n'"$(touch pwned)\`touch pwned\`\n;touch pwned`);
    expect(readdirSync(odd).toSorted()).toEqual(['.cadre', 'made']);
    await named.close();
    rmSync(named.workspace, { recursive: true });
  });

  it('a killed engine leaves no command running, and no empty files where its sandbox held a place', async () => {
    const seconds = `9${String(process.pid)}`;
    const child = spawn(
      process.execPath,
      [path.join(import.meta.dirname, 'shell-child.ts'), seconds, canSandbox ? 'both' : 'one'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const workspaces = await new Promise<readonly string[]>((resolve, reject) => {
      child.stdout.on('data', (said: Buffer) => resolve(JSON.parse(said.toString()) as string[]));
      child.once('exit', () => reject(new Error('the child ended before it was ready')));
    });
    const running = (): number =>
      Number(spawnSync('/bin/sh', ['-c', `ps axww -o args | grep -c "^slee[p] ${seconds}"`]).stdout.toString());
    for (let round = 0; round < 100 && running() < (canSandbox ? 4 : 2); round += 1) await pause();
    expect(running()).toBe(canSandbox ? 4 : 2);
    const own = spawnSync('/bin/sh', ['-c', `ps axww -o pid,ppid | awk '$2 == ${child.pid} { print $1 }'`])
      .stdout.toString()
      .trim()
      .split('\n');
    child.kill('SIGKILL');
    const left = (): readonly string[] => own.filter(isAlive);
    for (let round = 0; round < 200 && (running() > 0 || left().length > 0); round += 1) await pause();
    expect(running()).toBe(0);
    expect(left()).toEqual([]);
    const found = (): readonly string[] => [...new Set(workspaces.flatMap((workspace) => readdirSync(workspace)))].toSorted();
    await expect.poll(found, { timeout: 15_000 }).toEqual(canSandbox ? ['.cadre', 'here'] : ['here']);
  });
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
