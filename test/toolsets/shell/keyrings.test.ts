import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { toolsetUnderTest, whyNoSandbox } from '../../tools/toolset-under-test.ts';

/** Asks for the session keyring, by the numbers of the system calls: few machines have `keyctl`. */
const ask = `
import ctypes, platform
first = {'x86_64': 248, 'aarch64': 217}[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)
for call in (first, first + 2):
  print('keyring', libc.syscall(call, 0, -3, 0, 0, 0) > 0, ctypes.get_errno())
`;
const python = '/usr/bin/python3';
const open = spawnSync(python, ['-c', ask], { encoding: 'utf8' });
const isKnown = ['x64', 'arm64'].includes(process.arch) && open.status === 0 && open.stdout.includes('keyring True');

describe.skipIf(!isKnown || whyNoSandbox() !== undefined)('a command in a sandbox', () => {
  const shell = toolsetUnderTest(shellToolset);
  const openShell = toolsetUnderTest(shellToolset, { network: 'all' });

  afterAll(async () => {
    for (const each of [shell, openShell]) {
      await each.close();
      rmSync(each.workspace, { recursive: true, force: true });
    }
  });

  it('reaches no keyring of the user, who may keep tickets and keys there', async () => {
    for (const each of [shell, openShell])
      expect(await each.run('run_command', { command: `${python} -c "${ask}"` })).toContain('keyring False 1\nkeyring False 1\n');
  });
});
