import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Resources } from '../../../src/engine/effects/resources.ts';
import { rememberJournal, rememberProfiles } from '../../../src/files/guard/engine-places.ts';
import { openSandbox } from '../../../src/toolsets/sandbox/sandbox.ts';
import { sandboxFiles } from '../../../src/toolsets/sandbox/sandbox-files.ts';
import { packagePrograms } from '../../../src/toolsets/sandbox/sandbox-runtime.ts';
import { pythonToolset } from '../../../src/toolsets/python/python-toolset.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { scratchHome } from '../programs/scratch-home.ts';
import { isInstalled, toolsetUnderTest, whyNoSandbox } from '../../tools/toolset-under-test.ts';

const reason = whyNoSandbox();
const usable = reason === undefined;
if (!usable) console.warn(`tests in a sandbox are skipped: ${reason}`);

const live = { agent: new Resources('the agent'), run: new Resources('the run'), engine: new Resources('the engine') };
const shell = toolsetUnderTest(shellToolset, { sandbox: true, grace: '300ms', env: { GIVEN: 'yes' } }, live);
const { workspace } = shell;
const run = (command: string, more = {}): Promise<string> => shell.run('run_command', { command, ...more });

const server = createServer((_request, response) => response.end('reached'));
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  await shell.close();
  server.close();
  rmSync(workspace, { recursive: true, force: true });
});

describe.skipIf(!usable)('a shell in a sandbox', () => {
  it('[B.93] works in the workspace and keeps its session', async () => {
    await run('mkdir sub; cd sub; WORD=kept; echo made >file');
    expect(await run('pwd; echo $WORD; touch $TMPDIR/x $HOME/y && echo temporary')).toContain(
      `${workspace}/sub\nkept\ntemporary\n`,
    );
    expect(readFileSync(path.join(workspace, 'sub/file'), 'utf8')).toBe('made\n');
  });

  it('writes nowhere else', async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'cadre-outside-'));
    const text = await run(
      `echo x >/etc/cadre-test; echo x >/usr/cadre-test; echo x >${outside}/x; echo x >${homedir()}/cadre-test; ls ${outside}`,
    );
    expect(text).toContain('/etc/cadre-test: Read-only file system');
    for (const file of ['/etc/cadre-test', '/usr/cadre-test', `${outside}/x`, `${homedir()}/cadre-test`])
      expect(existsSync(file)).toBe(false);
    rmSync(outside, { recursive: true });
  });

  it('sees no homes, no temporary files of others, no passwords', async () => {
    const secret = mkdtempSync(path.join(tmpdir(), 'cadre-secret-'));
    writeFileSync(path.join(secret, 'key'), 'canary-2');
    const text = await run(`cat ${secret}/key; ls -A ${homedir()}; cat ${homedir()}/.ssh/id_rsa /etc/shadow; true`);
    expect(text).not.toContain('canary-2');
    expect(text).not.toContain('--- stdout');
    rmSync(secret, { recursive: true });
  });

  it('writes neither the journal nor profiles nor hooks, wherever they lie in the workspace', async () => {
    mkdirSync(path.join(workspace, '.cadre'), { recursive: true });
    mkdirSync(path.join(workspace, 'agent_profiles'));
    mkdirSync(path.join(workspace, '.git/hooks'), { recursive: true });
    for (const file of ['.cadre/journal.db', 'agent_profiles/a.yaml', '.git/hooks/pre-commit', '.git/config', '.env'])
      writeFileSync(path.join(workspace, file), 'mine');
    await run(
      'cd ..; cd -; for f in .cadre/journal.db agent_profiles/a.yaml .git/hooks/pre-commit .git/config .env; do echo evil >$f; done',
    );
    await run(`cd ${workspace}; mv .cadre old; mv agent_profiles old2; rm -rf .git/hooks .cadre agent_profiles .env`);
    for (const file of ['.cadre/journal.db', 'agent_profiles/a.yaml', '.git/hooks/pre-commit', '.git/config', '.env'])
      expect(readFileSync(path.join(workspace, file), 'utf8')).toBe('mine');
  });

  it('makes none of them either where there are none yet, and leaves nothing in their place', async () => {
    const things = { ...live, agent: new Resources('a maker') };
    const own = toolsetUnderTest(shellToolset, { sandbox: true }, things);
    const profiles = mkdtempSync(path.join(own.workspace, 'team-'));
    rememberProfiles(profiles);
    rememberJournal(path.join(own.workspace, 'runs.db'));
    writeFileSync(path.join(own.workspace, 'runs.db'), 'canary-4');
    const text = await own.run('run_command', {
      command: `mkdir -p .cadre/edits agent_profiles/x .claude/x .husky; for f in .mcp.json .envrc .env .npmrc ${profiles}/a.yaml runs.db; do echo evil >$f; done; cat runs.db; mkdir -p mail/run_1; echo evil >mail/run_1/1.json; git init -q .; echo done`,
    });
    expect(text).toContain('done');
    expect(text).not.toContain('canary-4');
    await things.agent.closeAll();
    expect(
      readdirSync(own.workspace, { recursive: true })
        .filter((name) => !String(name).startsWith('.git'))
        .toSorted(),
    ).toEqual(['.cadre', 'runs.db', path.basename(profiles)].toSorted());
    expect(readFileSync(path.join(own.workspace, 'runs.db'), 'utf8')).toBe('canary-4');
    rmSync(own.workspace, { recursive: true, force: true });
  });

  it('has no network, not even this machine', async () => {
    const text = await run(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo through; curl -s --max-time 2 http://127.0.0.1:${port}/`);
    expect(text).not.toContain('reached');
    expect(text).not.toContain('through');
  });

  it('reaches what it is allowed, and only that', async () => {
    const fetch = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
    const own = { ...live, agent: new Resources('another agent') };
    const all = toolsetUnderTest(shellToolset, { network: 'all' }, own);
    expect(await all.run('run_command', { command: fetch })).toContain('reached');
    await own.agent.closeAll();
    const listed = { ...live, agent: new Resources('a third agent') };
    const some = toolsetUnderTest(shellToolset, { network: [`127.0.0.1:${port}`] }, listed);
    const throughProxy = (to: number): string =>
      `exec 3<>/dev/tcp/127.0.0.1/3128; auth=$(printf %s "\${HTTP_PROXY#http://}" | sed 's/@.*//' | base64 -w0); printf 'GET http://127.0.0.1:${to}/ HTTP/1.0\\r\\nProxy-Authorization: Basic %s\\r\\n\\r\\n' "$auth" >&3; cat <&3`;
    expect(await some.run('run_command', { command: throughProxy(port) })).toContain('reached');
    expect(await some.run('run_command', { command: throughProxy(port + 1) })).toContain('403');
    await listed.agent.closeAll();
  });

  it('inherits no secrets, and gets what its settings give it', async () => {
    process.env['CADRE_TEST_SECRET'] = 'canary-3';
    const text = await run('env; cat /proc/*/environ | tr "\\0" "\\n"');
    delete process.env['CADRE_TEST_SECRET'];
    expect(text).not.toContain('canary-3');
    expect(text).toContain('GIVEN=yes');
  });

  it('a fork bomb is ended, and the session goes on', async () => {
    const bomb = toolsetUnderTest(
      shellToolset,
      { sandbox: true, max_processes: 60 },
      { ...live, agent: new Resources('the bomber') },
    );
    const { content } = await bomb.call('run_command', {
      command: 'for i in $(seq 300); do sleep 1000 & done; wait',
      timeout: 5,
    });
    expect(content).toMatch(/too many processes|exit code|Resource temporarily unavailable/);
    expect(content).not.toContain('took longer than its timeout');
    await bomb.context.live.agent.close('shell:shell');
    expect(await run('ps ax | grep -c "[s]leep 1000" || true')).toContain('\n0\n');
  });

  it('X2: nothing outlives its command, whatever it does to get away', async () => {
    const text = await run('(trap "" TERM HUP; setsid sh -c "exec env -i sleep 1234" &) ; sleep 0.1; echo done');
    expect(text).toContain('done');
    expect(execFileSync('/bin/sh', ['-c', 'ps ax | grep -c "[s]leep 1234" || true'], { encoding: 'utf8' })).toBe('0\n');
    expect(await run('sleep 1000 & echo done')).toContain('1 process(es) it had left running were ended');
    expect(await run('trap "" TERM; sleep 1000; sleep 1000', { timeout: 0.3 })).toContain('took longer than its timeout');
  });

  it('does not lead the engine to files it hides, by links in what it keeps for itself', async () => {
    const secret = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-secret-')), 'key');
    writeFileSync(secret, 'canary-4');
    await run('WORD=before', { session: 'linked' });
    const text = await run(`WORD=after; to=$__cadre_to; rm -f $to/*; ln -s ${secret} $to/cwd; trap - EXIT; printf done >$to/done`, {
      session: 'linked',
    });
    expect(text).not.toContain('canary-4');
    expect(await run('echo alive', { session: 'linked' })).toContain('alive');
  });
});

describe.skipIf(!usable || !isInstalled('python3'))('python in a sandbox', () => {
  it('works in the workspace and reaches nothing else', async () => {
    const python = toolsetUnderTest(pythonToolset, {}, { ...live, agent: new Resources('an agent with python') });
    const text = await python.run('run_python', {
      code: `import os, socket, tempfile\nopen("made.txt", "w").write("x")\ntempfile.TemporaryFile()\nfor attempt in (lambda: open("/etc/cadre-test", "w"), lambda: socket.create_connection(("127.0.0.1", ${port})), lambda: os.listdir(os.path.expanduser("~root/.ssh"))):\n  try:\n    print("reached", attempt())\n  except OSError as error:\n    print(error)`,
    });
    expect(text).toMatch(/exit code 0[^]*Read-only file system[^]*Connection refused[^]*No such file[^]*"made.txt" \(1 bytes\)/);
    expect(text).not.toContain('reached');
    rmSync(python.workspace, { recursive: true });
  });
});

it('the program that the package starts inside is shown to every sandbox, wherever the package lies', () => {
  const [folder = ''] = packagePrograms();
  expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).join(' ')).toContain('apply-seccomp');
  const command = { argv: ['true'], workspace: tmpdir(), policy: { network: 'none', read: [], write: [] } } as const;
  expect(sandboxFiles(command, packagePrograms()).allowRead).toContain(folder);
});

it('a workspace that is hidden in a folder with profiles can be written, since nothing of it is read as one', () => {
  const profiles = mkdtempSync(path.join(tmpdir(), 'cadre-team-'));
  rememberProfiles(profiles);
  const denied = (...names: string[]): readonly string[] => {
    const workspace = path.join(profiles, ...names);
    mkdirSync(workspace, { recursive: true });
    return sandboxFiles({ argv: ['true'], workspace, policy: { network: 'none', read: [], write: [] } }, []).denyWrite;
  };
  expect(denied('.cadre', 'workspaces', 'run_1')).not.toContain(profiles);
  for (const name of ['', '..', 'work']) expect(denied(name)).toContain(profiles);
  rmSync(profiles, { recursive: true });
});

it.skipIf(!usable)('is made on a busy machine, where the programs it needs start late', () => {
  const folder = scratchHome();
  const real = execFileSync('/bin/sh', ['-c', 'command -v socat'], { encoding: 'utf8' }).trim();
  writeFileSync(path.join(folder, 'socat'), `#!/bin/sh\nmkdir '${folder}/late' 2>/dev/null && sleep 1.5\nexec '${real}' "$@"\n`, {
    mode: 0o755,
  });
  // A process of its own: the package starts once in a process.
  const module = new URL('../../../src/toolsets/sandbox/sandbox.ts', import.meta.url).href;
  const program = `const { checkSandbox } = await import('${module}'); await checkSandbox(); console.log('made');`;
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', env });
  expect([said, existsSync(path.join(folder, 'late'))]).toEqual(['made\n', true]);
});

describe('a sandbox that cannot be made', () => {
  it('refuses, with the commands that make it possible, and runs nothing', async () => {
    const PATH = process.env['PATH'];
    const bare = { agent: new Resources('the agent'), run: new Resources('the run'), engine: new Resources('the engine') };
    const refused = toolsetUnderTest(shellToolset, {}, bare);
    process.env['PATH'] = '/nonexistent';
    try {
      await expect(refused.run('run_command', { command: 'touch ran' })).rejects.toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringMatching(/Nothing was run.*apt-get install -y bubblewrap socat ripgrep.*`sandbox: false`/) as unknown,
      });
    } finally {
      process.env['PATH'] = PATH;
    }
    expect(existsSync(path.join(refused.workspace, 'ran'))).toBe(false);
    await refused.close();
  });

  it('names the package when that is what is missing', async () => {
    const bare = { agent: new Resources('the agent'), run: new Resources('the run'), engine: new Resources('the engine') };
    const load = (): Promise<never> => Promise.reject(new Error("Cannot find package '@anthropic-ai/sandbox-runtime'"));
    await expect(openSandbox(bare, load)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('npm install @anthropic-ai/sandbox-runtime') as unknown,
    });
  });
});
