import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, vi } from 'vitest';
import { parseOwner } from '../../../src/journal/leases/lease-owner.ts';
import { systemProcesses } from '../../../src/journal/leases/process-watch.ts';

const { self } = systemProcesses;
const hasProc = existsSync('/proc/self/stat');

describe('lease owners', () => {
  it('takes an owner apart, and only one of its form', () => {
    expect(parseOwner('12@box.local#a-b')).toEqual({ pid: 12, host: 'box.local' });
    expect(parseOwner('12@box local#a')).toBeUndefined();
    expect(parseOwner('012@box#a')).toBeUndefined();
  });
});

describe('processes of this system', () => {
  it('this one is alive, and one that has ended is gone', () => {
    expect(systemProcesses.look(self)).toBe(hasProc ? 'alive' : 'unseen');
    expect(systemProcesses.look({ ...self, pid: spawnSync('true').pid })).toBe('gone');
  });

  it('of another machine, or other process ids, nothing can be seen', () => {
    expect(systemProcesses.look({ ...self, machine: 'elsewhere' })).toBe('unseen');
  });

  it.runIf(hasProc)('one whose id another process got is gone', () => {
    expect(systemProcesses.look({ ...self, birth: '1' })).toBe('gone');
    expect(systemProcesses.look({ ...self, birth: '' })).toBe('unseen');
  });

  it.runIf(hasProc)('one that is dead, and was not waited for by its parent, is gone', async () => {
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    // A shell would wait for its child; the program that replaced it does not.
    await vi.waitUntil(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n', 20_000);
    process.kill(Number(line), 'SIGKILL');
    await vi.waitUntil(() => readFileSync(`/proc/${line}/stat`, 'utf8').includes(') Z '), 20_000);
    expect(systemProcesses.look({ ...self, pid: Number(line) })).toBe('gone');
    parent.kill('SIGKILL');
  });

  it('time goes on', async () => {
    const before = systemProcesses.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(systemProcesses.now()).toBeGreaterThan(before);
  });
});
