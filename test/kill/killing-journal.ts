import type { Journal } from '../../src/core/events/journal.ts';

/** Where a process kills itself: at the how many-th write, and on which side of it. */
export interface KillPoint {
  readonly write: number;
  readonly side: 'before' | 'after';
}

/** Reads `12:before`; undefined for nothing. */
export function parseKillPoint(text: string | undefined): KillPoint | undefined {
  const [write, side] = (text ?? '').split(':');
  return side === 'before' || side === 'after' ? { write: Number(write), side } : undefined;
}

/** A journal that kills its process with SIGKILL at one write, and tells of every write that was acknowledged. */
export function killingJournal(inner: Journal, point: KillPoint | undefined, acknowledged: (seq: number) => void): Journal {
  let writes = 0;
  const die = (side: KillPoint['side']): void => {
    if (point?.write === writes && point.side === side) process.kill(process.pid, 'SIGKILL');
  };
  return {
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => {
      writes += 1;
      die('before');
      // The journal under test is SQLite's, which answers at once.
      void inner.append(lease, commit);
      die('after');
      acknowledged(commit.events.at(-1)?.seq ?? 0);
    },
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => inner.content(hash),
    runs: () => inner.runs(),
    close: () => inner.close(),
  };
}
