import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isOwnerAlive, parseOwner, processBirth } from '../../src/stores/lease-owner.ts';

const dead = spawnSync(process.execPath, ['-e', '']).pid;

describe('lease owner', () => {
  it('is taken apart into process and host', () => {
    expect(parseOwner('12@box.local#a-b')).toEqual({ pid: 12, host: 'box.local' });
    expect(parseOwner('12@box local#a')).toBeUndefined();
    expect(parseOwner('012@box#a')).toBeUndefined();
  });

  it('is alive while its process is', () => {
    expect(isOwnerAlive(`${process.pid}@${hostname()}#x`, processBirth(process.pid) ?? null)).toBe(true);
    expect(isOwnerAlive(`${process.pid}@${hostname()}#x`, null)).toBe(true);
    expect(isOwnerAlive(`${dead}@${hostname()}#x`, null)).toBe(false);
  });

  it.runIf(existsSync('/proc/self/stat'))('is dead when another process got its pid', () => {
    expect(isOwnerAlive(`${process.pid}@${hostname()}#x`, 'another-boot:1')).toBe(false);
  });

  it('is dead when nobody can tell who it was, and alive on a host that cannot be looked at', () => {
    expect(isOwnerAlive('nonsense', null)).toBe(false);
    expect(isOwnerAlive(`${dead}@elsewhere-${hostname()}#x`, null)).toBe(true);
  });

  it('has a birth that stays the same, and none when there is no process', () => {
    expect(processBirth(process.pid)).toBe(processBirth(process.pid));
    expect(processBirth(dead)).toBeUndefined();
  });
});
