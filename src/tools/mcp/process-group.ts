import type { ChildProcess } from 'node:child_process';

/** Processes that must not outlive this one. */
const living = new Set<ChildProcess>();
let watching = false;

/** Sees to it that a child's group is ended when this process exits without having closed it. */
export function adoptGroup(child: ChildProcess): void {
  living.add(child);
  child.once('exit', () => living.delete(child));
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    for (const left of living) signalGroup(left, 'SIGKILL');
  });
}

/**
 * Ends a child and all it started: closes its input, and if that does not do, asks it to end, then kills it. Resolves when
 * nothing of it is left, or after `withinMs`.
 */
export async function endGroup(child: ChildProcess, withinMs: number): Promise<void> {
  child.stdin?.end();
  if (!(await exits(child, withinMs / 4))) {
    signalGroup(child, 'SIGTERM');
    if (!(await exits(child, withinMs / 2))) {
      signalGroup(child, 'SIGKILL');
      await exits(child, withinMs / 4);
    }
  }
  // What it started may have stayed behind.
  signalGroup(child, 'SIGKILL');
  child.stdout?.destroy();
  child.stderr?.destroy();
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

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
