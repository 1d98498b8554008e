import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Resources } from '../../../src/engine/effects/resources.ts';
import { secretFiles } from '../../../src/files/guard/secret-files.ts';
import { pythonToolset } from '../../../src/toolsets/python/python-toolset.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { put } from '../../files/git-traps.ts';
import { openWorkspace } from '../workspace/call-workspace.ts';
import { isInstalled, toolsetUnderTest, whyNoSandbox } from '../../tools/toolset-under-test.ts';

const reason = whyNoSandbox();
const secret = 'canary-secret-59';
const holding = [
  '.env',
  '.env.local',
  'app/.env.production.local',
  'deep/er/.env.production',
  '.npmrc',
  'packages/a/.npmrc',
  '.netrc',
  '.ssh/id_ed25519',
  'keys/id_rsa',
  '.aws/credentials',
  '.docker/config.json',
  '.config/gh/hosts.yml',
  'infra/.terraform.d/credentials.tfrc.json',
  '.git-credentials',
  'node_modules/p/.npmrc',
];
const open = ['.env.example', 'app/.env.development', 'src/env.ts', '.docker/nginx.conf'];

const live = { agent: new Resources('the agent'), run: new Resources('the run'), engine: new Resources('the engine') };
const shell = toolsetUnderTest(shellToolset, {}, live);
for (const file of holding) put(shell.workspace, file, `${secret}\n`);
for (const file of open) put(shell.workspace, file, 'no-secret\n');

afterAll(async () => {
  await shell.close();
  rmSync(shell.workspace, { recursive: true, force: true });
});

describe('F59: files that hold secrets', () => {
  it.each(holding)('%s is on the one list, and file tools do not read it', async (file) => {
    expect(secretFiles.placeIn(file)).toBeDefined();
    expect((await openWorkspace(shell.workspace).fails('read_file', { path: file })).code).toBe('PATH_REFUSED');
  });

  it.each(open)('%s may be read', (file) => {
    expect(secretFiles.placeIn(file)).toBeUndefined();
  });
});

describe.skipIf(reason !== undefined)('F59: in the sandbox', () => {
  it('none of them is read, wherever it lies, by no way', async () => {
    const command = `cat ${holding.join(' ')}; grep -r canary . ; ln -s .env.local link; cat link; ln .env.local hard; cat hard; cp -r app copy; grep -r canary copy
mv .env.local moved; cat moved; mv app moved2; grep -r canary moved2; cat <.npmrc; cat ${path.join(process.cwd(), '.npmrc')}; echo; cat ${open.join(' ')}`;
    const answer = await shell.run('run_command', { command });
    expect(answer).not.toContain(secret);
    expect(answer).not.toContain('save-exact');
    expect(answer.match(/no-secret/g)?.length).toBeGreaterThanOrEqual(open.length);
  });

  it('nor what a later command finds of them', async () => {
    put(shell.workspace, 'late/.env.local', secret);
    expect(await shell.run('run_command', { command: 'cat late/.env.local; grep -r canary .' })).not.toContain(secret);
  });

  it('`read` opens one of them again', async () => {
    const own = { ...live, agent: new Resources('another agent') };
    const reading = toolsetUnderTest(shellToolset, { read: [path.join(shell.workspace, '.npmrc')] }, own);
    const context = { ...reading.context, workspace: shell.workspace };
    const answer = await reading.run('run_command', { command: 'cat .npmrc; echo; cat .env.local' }, context);
    expect(answer.match(new RegExp(secret, 'g'))).toHaveLength(1);
    await own.agent.closeAll();
    rmSync(reading.workspace, { recursive: true });
  });

  it.skipIf(!isInstalled('python3'))('Python reads none of them either', async () => {
    const python = toolsetUnderTest(pythonToolset, {}, { ...live, agent: new Resources('a third agent') });
    const code = `import os\nfor at, _, names in os.walk("."):\n  for name in names:\n    try:\n      print(open(os.path.join(at, name)).read())\n    except OSError as error:\n      print(error)`;
    expect(await python.run('run_python', { code }, { ...python.context, workspace: shell.workspace })).not.toContain(secret);
    rmSync(python.workspace, { recursive: true });
  });
});
