import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from './toolset-under-test.ts';

/** What was seen of the children of this process, from outside them. */
export interface WatchedChildren {
  /** Most resident memory that one of them had, in megabytes. */
  readonly peakMb: number;
  /** Ids of those that still run. */
  readonly left: readonly string[];
}

/** Does something and watches the processes that this one starts meanwhile. */
export async function watchChildren(act: () => Promise<unknown>): Promise<WatchedChildren> {
  const before = childrenOf('self');
  const seen = new Set<string>();
  let peakMb = 0;
  const watch = (): void => {
    for (const pid of childrenOf('self')) {
      if (before.includes(pid)) continue;
      seen.add(pid);
      peakMb = Math.max(peakMb, Number(/^VmHWM:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
    }
  };
  const timer = setInterval(watch, 2);
  try {
    await act();
  } finally {
    clearInterval(timer);
  }
  if (seen.size === 0) throw new Error('no process was started');
  return { peakMb, left: [...seen].filter((pid) => isAlive(pid)) };
}

/** Returns the ids of the children of a process. */
export function childrenOf(pid: number | 'self'): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    textOf(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean),
  );
}

/** Returns the text of a file about a process; none when that is over. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
