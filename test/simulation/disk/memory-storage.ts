import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import type { Commit, Journal, Lease } from '../../../src/core/events/journal.ts';
import { createMemoryJournal } from '../../../src/testing/index.ts';
import type { Host } from '../process/host.ts';
import type { Random } from '../world/random.ts';
import { diskError, type Storage } from './storage.ts';
import { readJson } from '../../../src/core/read-json.ts';

interface Applied {
  readonly lease: Lease;
  readonly commit: Commit;
}

/**
 * The memory journal as a store that is far away: all processes share it, and it goes on when they are killed. Commits that
 * asked for it are synced, with all before them. Every other one keeps events as text, as a file would: what a process changes in an
 * event after it was appended is lost with the process. The others keep them as they are given, which is faster.
 */
export class MemoryStorage implements Storage {
  readonly #random: Random;
  readonly #texts = new Map<RunId, string[]>();
  readonly #leases = new Map<number, Lease[]>();
  readonly #keepsText: boolean;
  readonly #refusing = new Set<number>();
  #inner = createMemoryJournal();
  #applied: Applied[] = [];
  #synced = 0;
  isFull = false;
  readonly syncsAlways = false;

  constructor(random: Random) {
    this.#random = random;
    this.#keepsText = random.chance(0.5);
  }

  open(host: Host): Journal {
    return {
      location: 'simulated memory',
      acquire: (runId, owner) => {
        this.#assertRoom(host);
        const lease = this.#inner.acquire(runId, `${owner}~${host.id}`) as Lease;
        this.#leases.set(host.id, [...(this.#leases.get(host.id) ?? []), lease]);
        return lease;
      },
      holds: (lease) => this.#inner.holds?.(lease) ?? true,
      release: (lease) => this.#inner.release(lease),
      append: (lease, commit) => this.#append(host, lease, commit),
      read: (runId, options = {}) => {
        // Rejects with the right error for a run that does not exist.
        const read = this.#inner.read(runId, options);
        return this.#texts.has(runId) ? this.#fromText(runId, options.after, options.limit) : read;
      },
      content: (hash) => this.#inner.content(hash),
      runs: () => this.#inner.runs(),
      close: () => undefined,
    };
  }

  read(runId: RunId): readonly CadreEvent[] {
    if (this.#texts.has(runId)) return this.#fromText(runId);
    const isThere = this.#applied.some(({ commit }) => commit.runId === runId);
    return isThere ? (this.#inner.read(runId) as readonly CadreEvent[]) : [];
  }

  givesTo(runId: RunId): boolean {
    try {
      void this.#inner.acquire(runId, '1@elsewhere#rival');
      return true;
    } catch {
      // Reported as held, as it must be.
      return false;
    }
  }

  abandon(host: Host): void {
    for (const lease of this.#leases.get(host.id) ?? []) void this.#inner.release(lease);
    this.#leases.delete(host.id);
  }

  cutPower(): void {
    const left = this.#synced + this.#random.int(this.#applied.length - this.#synced + 1);
    const survivors = this.#applied.slice(0, left);
    this.#inner = createMemoryJournal();
    this.#texts.clear();
    this.#leases.clear();
    this.#applied = [];
    for (const { lease, commit } of survivors) {
      let again = this.#inner.acquire(commit.runId, lease.owner) as Lease;
      // What was written has the epoch it had: epochs only grow.
      while (again.epoch < lease.epoch) {
        void this.#inner.release(again);
        again = this.#inner.acquire(commit.runId, lease.owner) as Lease;
      }
      this.#write(again, commit);
      void this.#inner.release(again);
    }
    this.#synced = left;
  }

  refuseNext(host: Host): void {
    this.#refusing.add(host.id);
  }

  dispose(): void {
    void this.#inner.close();
  }

  #append(host: Host, lease: Lease, commit: Commit): undefined {
    this.#assertRoom(host);
    if (this.#refusing.delete(host.id)) throw diskError('the disk refuses');
    this.#write(lease, commit);
    if (commit.sync) this.#synced = this.#applied.length;
    return undefined;
  }

  #write(lease: Lease, commit: Commit): void {
    void this.#inner.append(lease, commit);
    this.#applied.push({ lease, commit: { ...commit, events: [...commit.events] } });
    if (!this.#keepsText) return;
    const texts = this.#texts.get(commit.runId) ?? [];
    for (const event of commit.events) texts.push(JSON.stringify(event));
    this.#texts.set(commit.runId, texts);
  }

  #fromText(runId: RunId, after = 0, limit = Infinity): readonly CadreEvent[] {
    return (this.#texts.get(runId) ?? []).slice(after, after + limit).map((text) => readJson(text) as CadreEvent);
  }

  #assertRoom(host: Host): void {
    if (this.isFull && host.state !== 'dead') throw diskError('the disk is full');
  }
}
