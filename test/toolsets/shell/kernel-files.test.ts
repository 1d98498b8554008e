import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { closeKernelFiles } from '../../../src/toolsets/sandbox/kernel-files.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { toolsetUnderTest, whyNoSandbox } from '../../tools/toolset-under-test.ts';

const isRoot = process.geteuid?.() === 0;
const line = (mounts: string): string =>
  `/usr/bin/bwrap --dev /dev ${mounts} --unsetenv SRT_ALLOW_NESTED_USERNS -- /bin/bash -c true`;

describe.skipIf(!isRoot || whyNoSandbox() !== undefined)('a sandbox of the root user', () => {
  const shell = toolsetUnderTest(shellToolset);
  const run = (command: string): Promise<string> => shell.run('run_command', { command });

  afterAll(async () => {
    await shell.close();
    rmSync(shell.workspace, { recursive: true, force: true });
  });

  it('changes no setting of the kernel, such as the program that it starts outside when one crashes', async () => {
    // Each is written with the value it has: where that succeeds, nothing changes.
    const text = await run(
      'for each in kernel/core_pattern kernel/modprobe kernel/poweroff_cmd kernel/panic vm/swappiness fs/file-max; do ' +
        'place=/proc/sys/$each; [ ! -e $place ] || (cat $place | tee $place >/dev/null && echo "WRITTEN $each") 2>/dev/null; done; ' +
        '[ ! -e /proc/sysrq-trigger ] || (: >/proc/sysrq-trigger) 2>/dev/null && [ -e /proc/sysrq-trigger ] && echo "WRITTEN sysrq"; cat /proc/sys/kernel/core_pattern',
    );
    expect(text).not.toContain('WRITTEN');
  });

  it('sees its own processes as before', async () => {
    expect(await run('cat /proc/self/comm; cat /proc/sys/kernel/ostype')).toContain('cat\nLinux\n');
  });
});

describe.skipIf(!isRoot)('a command line of the sandbox package for the root user', () => {
  it('gets read-only settings of the kernel, after /proc is mounted', () => {
    expect(closeKernelFiles(line('--proc /proc'))).toMatch(
      /--proc \/proc( --ro-bind (\/proc\/[\w-]+) \2)* --ro-bind \/proc\/sys \/proc\/sys .*--unsetenv SRT_ALLOW_NESTED_USERNS -- \/bin\/bash -c true$/,
    );
  });

  it('is refused when it mounts /proc in another way, or looks as if it did so twice', () => {
    const named = "--ro-bind '/w/ --proc /proc --unsetenv SRT_ALLOW_NESTED_USERNS -- x' /w";
    for (const mounts of ['--bind /proc /proc', `${named} --proc /proc`])
      expect(() => closeKernelFiles(line(mounts))).toThrow('its package mounts /proc in another way');
  });
});
