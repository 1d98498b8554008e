import { findMarked, programOf } from './marked-processes.ts';

/** Sends a signal to a process group and to all processes that bear the mark, wherever they went. */
export function signalProcesses(group: number, mark: string, signal: NodeJS.Signals): void {
  send(-group, signal);
  for (const pid of findMarked(mark)) send(pid, signal);
}

/**
 * Asks what runs in a sandbox to end. The sandbox itself is left alone: it would take everything in it along without
 * giving it the time to clean up.
 */
export function askInside(mark: string, signal: NodeJS.Signals): void {
  for (const pid of findMarked(mark)) if (programOf(pid) !== 'bwrap') send(pid, signal);
}

/** A process that is gone needs no signal. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if (!isGone(thrown)) throw thrown;
  }
}

function isGone(thrown: unknown): boolean {
  // EPERM: what is left of the group belongs to somebody else (a program that changed its user); nothing can be done.
  return thrown instanceof Error && 'code' in thrown && (thrown.code === 'ESRCH' || thrown.code === 'EPERM');
}
