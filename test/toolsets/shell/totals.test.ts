import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { Resources } from '../../../src/engine/effects/resources.ts';
import { createMemoryGroup } from '../../../src/toolsets/process/memory-group.ts';
import { memoryOf } from '../../../src/toolsets/process/memory-use.ts';
import { ProcessWatch, type Exceeded } from '../../../src/toolsets/process/process-watch.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { isInstalled, toolsetUnderTest, whyNoSandbox, type ToolsetUnderTest } from '../../tools/toolset-under-test.ts';

const canSandbox = whyNoSandbox() === undefined;
const isLinux = process.platform === 'linux';

let open: ToolsetUnderTest[] = [];
afterEach(async () => {
  for (const shell of open) {
    await shell.close();
    rmSync(shell.workspace, { recursive: true, force: true });
  }
  open = [];
});

function openShell(settings: JsonObject): ToolsetUnderTest {
  const shell = toolsetUnderTest(shellToolset, { grace: '100ms', ...settings });
  open.push(shell);
  return shell;
}

/** Holds so many megabytes for a while; many of them stay below any limit for one. */
const hold = (megabytes: number): string => `python3 -c 'import time; x = b"x" * (${megabytes} << 20); time.sleep(30)'`;

describe.skipIf(!isLinux).each([...(canSandbox ? [true] : []), false])('F59: in all, sandbox: %s', (sandbox) => {
  it.skipIf(!isInstalled('python3'))('the memory of many processes is bounded, though each is within its own limit', async () => {
    const shell = openShell({ sandbox, max_total_memory_mb: 150, max_memory_mb: 1000 });
    const command = `for i in 1 2 3 4 5; do ${hold(60)} & done; wait`;
    const answer = await shell.call('run_command', { command, timeout: 25 });
    expect(answer).toMatchObject({
      isError: true,
      content: expect.stringContaining('more memory together than max_total_memory_mb') as unknown,
    });
    expect((await shell.call('run_command', { command: `${hold(20).replace('30', '0')}; echo fine` })).content).toContain('fine');
  });

  it('what commands write is bounded, over all commands and files', async () => {
    const shell = openShell({ sandbox, max_disk_mb: 60 });
    const write = (name: string): Promise<{ readonly content: unknown; readonly isError?: boolean }> =>
      shell.call('run_command', {
        command: `for i in 1 2 3; do head -c 10000000 /dev/zero >${name}$i; done; sleep 0.5; echo done`,
      });
    expect((await write('a')).content).toContain('done');
    await write('b');
    const more = await shell.call('run_command', {
      command: 'i=0; while :; do i=$((i+1)); head -c 10000000 /dev/zero >c$i; sleep 0.05; done',
      timeout: 20,
    });
    expect(more).toMatchObject({
      isError: true,
      content: expect.stringContaining('have written more than max_disk_mb') as unknown,
    });
    // What makes room is let through.
    expect((await shell.call('run_command', { command: 'sleep 0.5; rm -f a* b* c*; echo room' })).content).toContain('room');
    expect((await write('d')).content).toContain('done');
  });

  it('files that were deleted and are still open count, too', async () => {
    const shell = openShell({ sandbox, max_disk_mb: 30 });
    const command = 'exec 7>gone; rm gone; while :; do head -c 10000000 /dev/zero >&7; sleep 0.05; done';
    expect((await shell.call('run_command', { command, timeout: 20 })).content).toContain('have written more than max_disk_mb');
  });
});

describe.skipIf(!canSandbox)('F59: disks in memory', () => {
  it('count as memory: a sandbox has some of its own', async () => {
    const shell = openShell({ max_total_memory_mb: 100 });
    const command =
      'for d in /tmp /dev/shm /root; do [ -w $d ] && { i=0; while [ $i -lt 30 ]; do i=$((i+1)); head -c 10000000 /dev/zero >$d/x$i; sleep 0.05; done; }; done; sleep 2';
    const answer = await shell.call('run_command', { command, timeout: 25 });
    expect(answer.content).toMatch(/more memory together than max_total_memory_mb|Read-only file system|Permission denied/);
  });
});

describe.skipIf(!isLinux)('F59: where the kernel bounds no memory', () => {
  it.skipIf(!isInstalled('python3'))('it is watched', async () => {
    const shell = openShell({ sandbox: false });
    const started = await shell.run('run_command', { command: `${hold(80)} & ${hold(80)} & wait`, background: true });
    expect(started).toContain('c1');
    const python = (): readonly number[] =>
      execFileSync('/bin/sh', ['-c', 'pgrep -f "[x]rpython|[t]ime.sleep\\(30\\)" || true'], { encoding: 'utf8' })
        .split('\n')
        .filter(Boolean)
        .map(Number);
    for (let round = 0; round < 100 && memoryOf(python()) < 150 << 20; round += 1) await pause(50);
    const pid = python()[0] ?? 0;
    const exceeded = await new Promise<Exceeded>((resolve) => {
      const limits = { processes: 1000, memoryBytes: 10 << 20, diskBytes: 1e12 };
      const watch = new ProcessWatch({ pid, mark: 'none', limits, group: undefined, disk: undefined }, (why) => {
        watch.close();
        resolve(why);
      });
    });
    expect(exceeded).toBe('memory');
  });

  it('a group of the kernel is removed when it is no longer needed, and so are those of processes that were killed', () => {
    const group = createMemoryGroup(100 << 20);
    if (group === undefined) return;
    const folder = group.joinFile.replace(/\/cgroup\.procs$/, '');
    expect(existsSync(folder)).toBe(true);
    group.remove();
    expect(existsSync(folder)).toBe(false);
    const parent = folder.replace(/\/[^/]+$/, '');
    execFileSync('mkdir', [`${parent}/cadre-999999999-1`]);
    createMemoryGroup(100 << 20)?.remove();
    expect(readdirSync(parent)).not.toContain('cadre-999999999-1');
  });
});

it('a disk budget belongs to its run', async () => {
  const things = (): Resources => new Resources('the test');
  const live = { agent: things(), run: things(), engine: things() };
  const { DiskBudget } = await import('../../../src/toolsets/process/disk-budget.ts');
  expect(await DiskBudget.of(live)).toBe(await DiskBudget.of({ ...live, agent: things() }));
  expect(await DiskBudget.of(live)).not.toBe(await DiskBudget.of({ ...live, run: things() }));
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
