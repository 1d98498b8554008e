import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { isAlive, toolsetUnderTest } from '../../tools/toolset-under-test.ts';

const shell = toolsetUnderTest(shellToolset, { sandbox: false, grace: '300ms', max_output_mb: 1 });
const { workspace } = shell;
const run = (command: string, more = {}): Promise<string> => shell.run('run_command', { command, ...more });

afterAll(async () => {
  await shell.close();
  rmSync(workspace, { recursive: true, force: true });
});

describe('run_command', () => {
  it('[A5.shell-command] gives exit code, time, and both streams apart', async () => {
    const text = await run('echo out; echo err >&2; exit 3');
    expect(text).toMatch(
      /^c\d+: exit code 3 after \d+\.\d\d s; new session "main", in the workspace\n--- stdout \(4 bytes\)\nout\n\n--- stderr \(4 bytes\)\nerr\n$/,
    );
  });

  it('[A2.3.bash] [B.88] keeps folder, variables, functions and options of a session, and sessions apart', async () => {
    await run(
      'mkdir -p "a b"; cd "a b"; export WORD="one two"; declare -A map=([k]="v w"); say() { echo "said $1"; }; set -o pipefail',
    );
    const text = await run('pwd; echo "$WORD ${map[k]}"; say x; env | grep ^WORD; false | true; echo $?');
    expect(text).toContain(`; session "main", in a b\n`);
    expect(text).toContain(`${workspace}/a b\none two v w\nsaid x\nWORD=one two\n1\n`);
    expect(await run('echo "[$WORD]"; pwd', { session: 'other' })).toContain(`[]\n${workspace}\n`);
    expect(await run('echo "[$WORD]"; pwd', { restart: true })).toContain(`[]\n${workspace}\n`);
  });

  it('[A2.3.bash] goes on after a command that exits, replaces or kills its shell, and says when nothing was kept', async () => {
    await run('kept=yes', { session: 'tough' });
    expect(await run('kept=changed; exit 7', { session: 'tough' })).toContain('exit code 7');
    expect(await run('echo $kept', { session: 'tough' })).toContain('changed');
    expect(await run('kept=lost; exec true', { session: 'tough' })).toContain('was not kept');
    expect(await run('kept=lost; kill -9 $$', { session: 'tough' })).toMatch(/ended by SIGKILL[^]*was not kept/);
    expect(await run('set -e; false; echo unreached', { session: 'tough' })).not.toContain('unreached');
    expect(await run('set +e; echo $kept; PATH=; alias x=y; unset HOME', { session: 'tough' })).toContain('changed');
    expect(await run('echo "path=[$PATH] kept=$kept"', { session: 'tough' })).toContain('path=[] kept=changed');
  });

  it('has no terminal and nothing to read, unless it is given something', async () => {
    expect(await run('cat; test -t 0 || test -t 1 || echo no terminal; read -r line || echo nothing')).toContain(
      'no terminal\nnothing',
    );
    expect(await run('cat', { stdin: 'given\n' })).toContain('given');
    expect(await run('(exec </dev/tty) 2>&1')).toContain('No such device');
  });

  it('inherits nothing of the environment but what is on the list', async () => {
    process.env['CADRE_TEST_SECRET'] = 'canary-1';
    const own = toolsetUnderTest(shellToolset, { sandbox: false, env: { GIVEN: 'by settings', PATH: '/usr/bin:/bin' } });
    const text = await own.run('run_command', { command: 'env | sort; export GIVEN=changed' });
    expect(text).not.toContain('canary-1');
    expect([...text.matchAll(/^([A-Za-z_]+)=/gm)].map((match) => match[1])).toEqual(
      expect.arrayContaining(['GIVEN', 'HOME', 'LANG', 'PATH', 'TERM', 'TMPDIR']),
    );
    expect(text).toContain('TERM=dumb');
    expect(await own.run('run_command', { command: 'echo $GIVEN' })).toContain('by settings');
    await own.close();
    delete process.env['CADRE_TEST_SECRET'];
  });

  it('[A2.3.bash] [B.88] X2: ends all of a command that takes too long, also what ignores SIGTERM and what left its group', async () => {
    const { content, isError } = await shell.call('run_command', {
      command: `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$ >daemon.pid; while :; do sleep 0.1; done' & sleep 1000 & wait; sleep 1000`,
      timeout: 0.4,
    });
    expect(isError).toBe(true);
    expect(content).toContain('took longer than its timeout');
    expect(isAlive(readFileSync(path.join(workspace, 'daemon.pid'), 'utf8'))).toBe(false);
    expect(await run('echo usable')).toContain('usable');
  });

  it('ends what a command leaves running, and does not wait for who holds its pipes', async () => {
    const text = await run('sleep 1000 & setsid sleep 1000 & echo done');
    expect(text).toContain('exit code 0');
    expect(text).toContain("2 process(es) it had left running were ended: a command's processes end with it");
    expect(text).toContain('done');
  });

  it('X3: keeps head and tail of long output, all of it in a file, with honest counts', async () => {
    const text = await run('seq 1 40000');
    const all = Array.from({ length: 40_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(text).toContain(`--- stdout (${all.length} bytes)\n1\n2\n`);
    expect(text).toContain('39999\n40000\n');
    expect(text.length).toBeLessThan(14_000);
    const [, left, name] = /\[(\d+) of \d+ bytes left out; all of it is in (command-output\/\S+)\]/.exec(text) ?? [];
    expect(readFileSync(path.join(workspace, name ?? ''), 'utf8')).toBe(all);
    const shown = text.slice(text.indexOf('bytes)\n') + 7).replace(/\n… \[[^\]]*\] …\n/, '');
    expect(shown.length + Number(left)).toBe(all.length);
  });

  it('stops what floods, and says how much came', async () => {
    const { content, isError } = await shell.call('run_command', { command: 'yes' });
    expect(isError).toBe(true);
    expect(content).toContain('it wrote too much');
    expect((await shell.call('run_command', { command: 'cat /dev/urandom' })).content).toContain('it wrote too much');
  });

  it('does not follow a link that a command put where long output goes', async () => {
    const other = toolsetUnderTest(shellToolset, { sandbox: false });
    await other.run('run_command', { command: `mkdir elsewhere; ln -s elsewhere command-output` });
    expect(await other.run('run_command', { command: 'seq 1 40000' })).toContain('it was not kept');
    expect(readdirSync(path.join(other.workspace, 'elsewhere'))).toEqual([]);
    await other.close();
  });
});

describe('commands in the background', () => {
  it('[A2.3.sandbox-shell] [B.88] [A5.shell-command] are read in parts, listed, polled and stopped', async () => {
    const id = (await run('echo first; sleep 0.3; echo second; sleep 1000', { background: true })).split(' ')[0] ?? '';
    expect(await shell.run('list_commands', {})).toMatch(new RegExp(`^${id}: running for 0 s: echo first; sleep`, 'm'));
    expect(await shell.run('read_command_output', { id, wait: 0.6 })).toMatch(/running[^]*first\nsecond/);
    expect(await shell.run('read_command_output', { id })).toContain('(nothing new)');
    expect(await shell.run('read_command_output', { id, stream: 'stdout', from: 6 })).toContain('bytes 6 to 13 of 13)\nsecond');
    expect(await shell.run('stop_command', { id })).toContain(`${id}: stopped after`);
    await expect(shell.run('stop_command', { id: 'c999' })).rejects.toThrow(/There is no command "c999". There are: c\d+, /);
  });

  it('end when they are over, with their exit code, and change nothing in their session', async () => {
    const id = (await run('WORD=background; cd /; exit 4', { background: true })).split(' ')[0] ?? '';
    expect(await shell.run('read_command_output', { id, wait: 5 })).toContain('exit code 4');
    expect(await run('echo "[$WORD]"; pwd')).toContain(`[]\n${workspace}`);
  });

  it('end with their agent, and leave no files', async () => {
    const own = toolsetUnderTest(shellToolset, { sandbox: false });
    await own.run('run_command', { command: 'trap "" TERM; echo $$ >pid; echo $HOME >home; sleep 1000', background: true });
    await own.run('run_command', { command: 'until [ -s pid ] && [ -s home ]; do sleep 0.02; done' });
    await own.close();
    expect(isAlive(readFileSync(path.join(own.workspace, 'pid'), 'utf8'))).toBe(false);
    expect(existsSync(readFileSync(path.join(own.workspace, 'home'), 'utf8').trim())).toBe(false);
  });

  it('a call that is aborted ends its command', async () => {
    const abort = new AbortController();
    const calling = shell.call('run_command', { command: 'sleep 1000' }, { ...shell.context, signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    expect((await calling).content).toMatch(/: stopped after/);
  });
});
