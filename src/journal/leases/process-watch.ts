import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells one process from all others that may have the same file open. */
export interface ProcessIdentity {
  /** Processes of one `machine` can look at each other: the same boot of the system and the same process ids. */
  readonly machine: string;
  /** Processes with the same `clock` read the same monotonic time. */
  readonly clock: string;
  readonly pid: number;
  /** When it started, so that a later process with its id is told from it; empty where the system does not say. */
  readonly birth: string;
}

/** What looking at a process tells: `unseen` when it cannot be seen from here, or not be told from another one. */
export type Look = 'alive' | 'gone' | 'unseen';

/** The processes around this one, and the time they share. */
export interface ProcessWatch {
  readonly self: ProcessIdentity;
  /** Monotonic milliseconds of `self.clock`; jumps of the wall clock do not move it. */
  now(): number;
  look(other: ProcessIdentity): Look;
  /** Calls back again and again without keeping the process alive; the returned function ends it. */
  every(ms: number, work: () => void): () => void;
}

/** The processes of this system. */
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

/** A constant of the process, read when it is first needed. */
// Not state of a run: which process this is.
let self: ProcessIdentity | undefined;

/**
 * In Linux a machine is a boot and the namespaces of process ids and of time: containers of one kernel have the same boot and ids of
 * their own. Elsewhere it is the host's name, and when a process started is not known.
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

/** DecisionContexts before 5.6 have one time for all. */
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
 * When a process started, in ticks since the boot. `ended` for one that is dead and was not waited for by its parent; undefined where
 * the system does not say, or `/proc` is that of other process ids.
 */
function birthOf(pid: number): string | undefined {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses, may hold anything; the state follows it, and the start time is the 20th field from there.
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
