import type { ChildProcess } from 'node:child_process';
import { signalProcesses } from '../../process/signal-processes.ts';

// Not state of a run: the child processes of this process, which must not outlive it.
const living = new Map<ChildProcess, string>();
// Not state of a run: true once this process watches its children.
let watching = false;

/** Ensures that a child and all processes with its mark end when this process exits without having closed it. */
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
 * Ends a child and all processes it started: closes its input, then asks it to end, then kills it. Resolves when all have ended, or after
 * `withinMs`.
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
  // Its own children may still run, even in another group: servers that drive a browser start it like that.
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
    // The whole group has ended.
  }
}
