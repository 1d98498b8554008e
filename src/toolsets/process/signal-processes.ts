import { findMarked, programOf } from './marked-processes.ts';

/** Sends a signal to a process group and to all marked processes, including those that left the group. */
export function signalProcesses(group: number, mark: string, signal: NodeJS.Signals): void {
  send(-group, signal);
  for (const pid of findMarked(mark)) send(pid, signal);
}

/**
 * Sends a signal to the programs in a sandbox, but not to the sandbox itself, which would end everything in it without time to clean up.
 */
export function askInside(mark: string, signal: NodeJS.Signals): void {
  for (const pid of findMarked(mark)) if (programOf(pid) !== 'bwrap') send(pid, signal);
}

/** Sends a signal; ignores a process that is gone. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if (!isGone(thrown)) throw thrown;
  }
}

function isGone(thrown: unknown): boolean {
  // EPERM: the rest of the group belongs to another user (a program changed its user); nothing can be done.
  return thrown instanceof Error && 'code' in thrown && (thrown.code === 'ESRCH' || thrown.code === 'EPERM');
}
