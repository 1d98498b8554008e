import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identity of a process among all that may have the same file open. */
export interface ProcessIdentity {
  /** Processes of one `machine` can look at each other: same system boot and same process ids. */
  readonly machine: string;
  /** Processes with the same `clock` read the same monotonic time. */
  readonly clock: string;
  readonly pid: number;
  /** Start time, which tells the process from a later one with the same id; empty where the system does not report it. */
  readonly birth: string;
}

/** Result of looking at a process: `unseen` when it is not visible from here or cannot be told from another one. */
export type Look = 'alive' | 'gone' | 'unseen';

/** Access to other processes and to the clock they share. */
export interface ProcessWatch {
  readonly self: ProcessIdentity;
  /** Monotonic milliseconds of `self.clock`, unaffected by wall-clock jumps. */
  now(): number;
  look(other: ProcessIdentity): Look;
  /** Calls `work` repeatedly without keeping the process alive. Returns a function that stops it. */
  every(ms: number, work: () => void): () => void;
}

/** Processes of this system. */
export const systemProcesses: ProcessWatch = {
  get self() {
    return (self ??= thisProcess());
  },
  now: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
  look: lookAt,
  every: (ms, work) => {
    const timer = setInterval(work, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Identity of this process, read on first use. */
// Not state of a run: identity of this process.
let self: ProcessIdentity | undefined;

/**
 * Reads this process's identity. On Linux a machine is a boot plus the PID and time namespaces, since containers share a kernel's
 * boot but have their own ids. Elsewhere it is the host name, without a start time.
 */
function thisProcess(): ProcessIdentity {
  const { pid } = process;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const ids = readlinkSync('/proc/self/ns/pid');
    const time = readTimeNamespace();
    return { machine: `${boot} ${ids} ${time}`, clock: `${boot} ${time}`, pid, birth: birthOf(pid) ?? '' };
  } catch {
    const host = `${process.platform} ${hostname()}`;
    return { machine: host, clock: host, pid, birth: '' };
  }
}

/** Reads the time namespace; kernels before 5.6 have none. */
function readTimeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return 'time:[]';
  }
}

function lookAt(other: ProcessIdentity): Look {
  if (other.machine !== systemProcesses.self.machine) return 'unseen';
  if (!processExists(other.pid)) return 'gone';
  const birth = birthOf(other.pid);
  if (birth === 'ended') return 'gone';
  if (birth === undefined || other.birth === '') return 'unseen';
  return birth === other.birth ? 'alive' : 'gone';
}

/**
 * Reads a process's start time in ticks since boot. Returns `ended` for a zombie, undefined where the system does not report it or
 * `/proc` belongs to another PID namespace.
 */
function birthOf(pid: number): string | undefined {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in parentheses may hold anything. The state follows it, and the start time is the 20th field from there.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
