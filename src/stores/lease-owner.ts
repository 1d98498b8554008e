import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds a lease, taken apart: a process of a host. */
export interface LeaseOwner {
  readonly pid: number;
  readonly host: string;
}

/** Takes an owner of the form `<pid>@<host>#<nonce>` apart; undefined when it has another form. */
export function parseOwner(owner: string): LeaseOwner | undefined {
  const match = /^([1-9]\d{0,9})@([^#\s]{1,255})#(\S{1,100})$/.exec(owner);
  const [, pid, host] = match ?? [];
  return pid === undefined || host === undefined ? undefined : { pid: Number(pid), host };
}

/**
 * What tells a process from a later one with the same pid: the machine's boot and the process's start in it.
 * Undefined where the system does not say (no `/proc`), or when there is no such process.
 */
export function processBirth(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses, may hold anything; the start time is the 20th field after it.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return start === undefined ? undefined : `${boot}:${start}`;
  } catch {
    return undefined;
  }
}

/**
 * Tells whether the holder of a lease may still be at work. `birth` is its `processBirth` at the time it took the lease.
 * A holder on another host cannot be looked at and counts as alive.
 */
export function isOwnerAlive(owner: string, birth: string | null): boolean {
  const parsed = parseOwner(owner);
  if (parsed === undefined) return false;
  if (parsed.host !== hostname()) return true;
  if (!processExists(parsed.pid)) return false;
  const birthNow = processBirth(parsed.pid);
  return birth === null || birthNow === undefined || birth === birthNow;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, but belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
