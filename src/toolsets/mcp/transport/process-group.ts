import type { ChildProcess } from 'node:child_process';
import { signalProcesses } from '../../process/signal-processes.ts';

/** Processes that must not outlive this one. */
// Not state of a run: the child processes of this one.
const living = new Map<ChildProcess, string>();
// Not state of a run: whether this process watches its children.
let watching = false;

/** Sees to it that a child and all that bears its mark are ended when this process exits without having closed it. */
export function adoptGroup(child: ChildProcess, mark: string): void {
  living.set(child, mark);
  child.once('exit', () => living.delete(child));
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    for (const [left, itsMark] of living) signalAll(left, itsMark, 'SIGKILL');
  });
}

/**
 * Ends a child and all it started: closes its input, and if that does not do, asks it to end, then kills it. Resolves when
 * nothing of it is left, or after `withinMs`.
 */
export async function endGroup(child: ChildProcess, withinMs: number, mark: string): Promise<void> {
  child.stdin?.end();
  if (!(await exits(child, withinMs / 4))) {
    signalGroup(child, 'SIGTERM');
    if (!(await exits(child, withinMs / 2))) {
      signalGroup(child, 'SIGKILL');
      await exits(child, withinMs / 4);
    }
  }
  // What it started may have stayed behind, also in a group of its own: servers that drive a browser start it like that.
  signalAll(child, mark, 'SIGKILL');
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.stdio[3]?.destroy();
}

function hasExited(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function exits(child: ChildProcess, withinMs: number): Promise<boolean> {
  if (hasExited(child)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(false), withinMs);
    const settle = (exited: boolean): void => {
      clearTimeout(timer);
      child.off('exit', onExit);
      resolve(exited);
    };
    const onExit = (): void => settle(true);
    child.once('exit', onExit);
  });
}

function signalAll(child: ChildProcess, mark: string, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && process.platform !== 'win32') signalProcesses(child.pid, mark, signal);
  else signalGroup(child, signal);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
