import type { Commit, Journal, Lease } from '../../src/core/events/journal.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { breathe } from './test-engine.ts';

/** A journal on a disk that loses with the power what was not synced. */
export interface VolatileDisk {
  readonly store: Journal;
  /** Number of full syncs. */
  readonly syncs: number;
  /** Returns the contents after a power cut: a new journal with the commits up to the last sync. */
  afterPowerCut(): Journal;
}

/** Makes such a disk; `syncsAtOnce`: the store has `sync`, else it syncs commit by commit. */
export function volatileDisk(syncsAtOnce: boolean): VolatileDisk {
  const inner = createMemoryJournal();
  const commits: { readonly lease: Lease; readonly commit: Commit }[] = [];
  let synced = 0;
  let syncs = 0;
  const store: Journal = {
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => {
      void inner.append(lease, commit);
      commits.push({ lease, commit: { ...commit, events: [...commit.events] } });
      if (commit.sync) synced = commits.length;
    },
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => inner.content(hash),
    runs: (filter) => inner.runs(filter),
    close: () => undefined,
  };
  const sync = async (): Promise<void> => {
    const upTo = commits.length;
    await breathe(1);
    synced = Math.max(synced, upTo);
    syncs += 1;
  };
  return {
    store: syncsAtOnce ? { ...store, sync } : store,
    get syncs() {
      return syncs;
    },
    afterPowerCut: () => {
      const left = createMemoryJournal();
      for (const { lease, commit } of commits.slice(0, synced)) {
        const again = left.acquire(commit.runId, lease.owner) as Lease;
        void left.append(again, commit);
        void left.release(again);
      }
      return left;
    },
  };
}
