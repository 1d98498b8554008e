import type { Journal, Lease } from '../../../src/core/events/journal.ts';

/** A journal as one process has it, which can die. */
export interface MortalJournal {
  readonly journal: Journal;
  /** From now on this process writes and reads nothing more, and what it held is free. */
  die(): void;
}

/** Returns a view of a journal in memory, for an engine that is to die as a killed process does. */
export function mortalJournal(journal: Journal): MortalJournal {
  let isDead = false;
  const held = new Set<Lease>();
  const forEver = new Promise<never>(() => undefined);
  const alive = <T>(work: () => T): T => (isDead ? (forEver as T) : work());
  const { shared } = journal;
  const view: Journal = {
    location: journal.location,
    acquire: (runId, owner) =>
      alive(() => {
        const lease = journal.acquire(runId, owner) as Lease;
        held.add(lease);
        return lease;
      }),
    holds: (lease) => alive(() => journal.holds?.(lease) ?? true),
    release: (lease) => alive(() => journal.release(lease)),
    append: (lease, commit) => alive(() => journal.append(lease, commit)),
    read: (runId, options) => alive(() => journal.read(runId, options)),
    content: (hash) => journal.content(hash),
    runs: (filter) => alive(() => journal.runs(filter)),
    watch: (runId, wake) => journal.watch?.(runId, () => (isDead ? undefined : wake())) ?? ((): void => undefined),
    close: () => undefined,
    ...(shared === undefined
      ? {}
      : {
          shared: {
            ...shared,
            acquire: (runId, holder) => alive(() => shared.acquire(runId, holder)),
            mark: (runId, name) => alive(() => shared.mark(runId, name)),
          },
        }),
  };
  return {
    journal: view,
    die: () => {
      isDead = true;
      for (const lease of held) void journal.release(lease);
    },
  };
}
