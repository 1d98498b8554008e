import type { CadreEvent } from '../core/events/event.ts';
import type { ContentHash, RunId } from '../core/ids.ts';
import type { Commit, Journal, Lease, RunMarks, RunsFilter, RunSummary, SharedJournal } from '../core/events/journal.ts';
import {
  appliedBefore,
  assertCommit,
  assertId,
  assertLeaseRequest,
  assertMayDelete,
  assertMayErase,
  assertRange,
  closedJournal,
  deletedRun,
  lockedRun,
  staleLease,
  staleSequence,
  unknownRun,
} from './commit-check.ts';
import { addressesIn } from './codec/text-refs.ts';
import { findLoose, type FoundText, type TextPlaces } from './loose-texts.ts';
import { isOpenStatus, nextSummary } from './run-summary.ts';

const location = 'memory';

interface MemoryRun {
  readonly events: CadreEvent[];
  /** Epoch of the lease under which the newest of them was written. */
  epoch: number;
  /** Summary of the first `summarised` events; the rest is added on demand. */
  summary: RunSummary | undefined;
  summarised: number;
}

interface MemoryLease {
  owner: string | null;
  epoch: number;
  since: number;
}

/** Creates a journal in memory that ends with its process, for tests and throwaway runs. Keeps the event objects it receives. */
export function createMemoryJournal(): Journal {
  return new MemoryJournal();
}

class MemoryJournal implements Journal {
  readonly location = location;
  readonly #runs = new Map<RunId, MemoryRun>();
  readonly #leases = new Map<RunId, MemoryLease>();
  readonly #contents = new Map<ContentHash, string>();
  /** Appends so far. */
  #appends = 0;
  /** Texts of erased runs. */
  readonly #loose = new Set<ContentHash>();
  readonly #marks = new Map<RunId, { readonly [Key in keyof RunMarks]?: NonNullable<RunMarks[Key]> }>();
  readonly #applied = new Map<RunId, Set<string>>();
  /** Names of holders that several engines share. */
  readonly #holders = new Set<string>();
  readonly #names = new Map<RunId, Set<string>>();
  readonly #watchers = new Set<{ readonly runId: RunId | undefined; readonly wake: () => void }>();
  #runtime: string | undefined;
  #closed = false;

  /** For several engines of one process, as in tests of a runtime. */
  readonly shared: SharedJournal = {
    id: () => location,
    runtime: (mine, { adopt = false } = {}) => (this.#runtime = adopt ? mine : (this.#runtime ?? mine)),
    acquire: (runId, holder) => {
      this.#holders.add(holder);
      const held = this.#leases.get(runId);
      const lease = held?.owner === holder ? { runId, owner: holder, epoch: held.epoch } : this.#take(runId, holder);
      const run = this.#runs.get(runId);
      return { ...lease, isInterrupted: run !== undefined && run.epoch !== lease.epoch };
    },
    stalled: (holder, at, { orWaiting = false } = {}) =>
      this.runs().filter(
        (run) =>
          (run.status === 'running' || (orWaiting && isOpenStatus(run.status))) &&
          run.updatedAt < at &&
          this.#leases.get(run.runId)?.owner === holder,
      ),
    hasApplied: (runId, input) => this.#applied.get(runId)?.has(input) === true,
    mark: (runId, name) => addOnce(this.#names, runId, name),
    forget: (before) => {
      for (const { runId, status, updatedAt } of this.runs())
        if (!isOpenStatus(status) && updatedAt < before) for (const once of [this.#applied, this.#names]) once.delete(runId);
    },
  };

  acquire(runId: RunId, owner: string): Lease {
    this.#assertOpen();
    assertLeaseRequest(runId, owner);
    return this.#take(runId, owner);
  }

  #take(runId: RunId, owner: string): Lease {
    if (this.#marks.get(runId)?.deletedAt !== undefined) throw deletedRun(location, runId);
    const held = this.#leases.get(runId);
    // A holder of a lease in memory belongs to this process, so it is alive.
    if (held !== undefined && held.owner !== null) throw lockedRun(location, runId, { owner: held.owner, since: held.since });
    const epoch = (held?.epoch ?? 0) + 1;
    this.#leases.set(runId, { owner, epoch, since: Date.now() });
    return { runId, owner, epoch };
  }

  holds({ runId, owner, epoch }: Lease): boolean {
    const held = this.#leases.get(runId);
    return held?.epoch === epoch && held.owner === owner;
  }

  release(lease: Lease): void {
    const held = this.#leases.get(lease.runId);
    // Others of a shared holder go on with it.
    if (held !== undefined && held.epoch === lease.epoch && !this.#holders.has(lease.owner)) held.owner = null;
  }

  append(lease: Lease, commit: Commit): void {
    this.#assertOpen();
    assertCommit(lease, commit);
    const held = this.#leases.get(commit.runId);
    if (held === undefined || held.epoch !== lease.epoch || held.owner !== lease.owner) {
      throw staleLease(location, lease, held ?? { epoch: 0, owner: null });
    }
    const run = this.#runs.get(commit.runId);
    const lastSeq = run?.events.length ?? 0;
    if (lastSeq !== commit.expectedSeq) throw staleSequence(location, commit, lastSeq);
    if (commit.inputs !== undefined) this.#applyInputs(commit, commit.inputs);
    this.#appends += 1;
    if (run === undefined)
      this.#runs.set(commit.runId, { events: [...commit.events], epoch: lease.epoch, summary: undefined, summarised: 0 });
    else
      for (let index = 0; index < commit.events.length; index += 1) {
        const event = commit.events[index];
        if (event !== undefined) run.events.push(event);
      }
    if (run !== undefined) run.epoch = lease.epoch;
    for (const entry of commit.contents) if (!this.#contents.has(entry.hash)) this.#contents.set(entry.hash, entry.text);
    if (this.#watchers.size > 0) queueMicrotask(() => this.#wake(commit.runId));
  }

  #applyInputs(commit: Commit, inputs: readonly string[]): void {
    const again = inputs.find((input) => this.#applied.get(commit.runId)?.has(input) === true);
    if (again !== undefined) throw appliedBefore(location, commit, again);
    for (const input of inputs) addOnce(this.#applied, commit.runId, input);
  }

  #wake(runId: RunId): void {
    for (const watcher of this.#watchers) if (watcher.runId === undefined || watcher.runId === runId) watcher.wake();
  }

  read(runId: RunId, options: { readonly after?: number; readonly limit?: number } = {}): readonly CadreEvent[] {
    this.#assertOpen();
    assertId('run id', runId);
    const { after = 0, limit = Infinity } = options;
    assertRange(after, limit);
    const run = this.#runs.get(runId);
    if (run === undefined) throw unknownRun(location, runId);
    return run.events.slice(after, after + limit);
  }

  content(hash: ContentHash): string | undefined {
    this.#assertOpen();
    return this.#contents.get(hash);
  }

  mark(runId: RunId, change: RunMarks): void {
    this.#assertOpen();
    assertId('run id', runId);
    const run = this.#runs.get(runId);
    if (run === undefined) throw unknownRun(location, runId);
    const { owner = null, since = 0 } = this.#leases.get(runId) ?? {};
    if (typeof change.deletedAt === 'number' && owner !== null && isOpenStatus(summarise(run)?.status ?? ''))
      assertMayDelete(location, runId, { owner, since });
    const changed = Object.entries({ ...this.#marks.get(runId), ...change });
    this.#marks.set(runId, Object.fromEntries(changed.filter(([, value]) => value !== null && value !== undefined)));
  }

  runs({ runId, isOpen, project, isDeleted, limit = Infinity }: RunsFilter = {}): readonly RunSummary[] {
    this.#assertOpen();
    const one = runId === undefined ? undefined : this.#runs.get(runId);
    const runs = runId === undefined ? [...this.#runs.values()] : one === undefined ? [] : [one];
    const marked = runs.flatMap((run) => summarise(run) ?? []).map((run) => ({ ...run, ...this.#marks.get(run.runId) }));
    const summaries = marked.filter(
      (run) =>
        (runId !== undefined || (run.deletedAt !== undefined) === (isDeleted === true)) &&
        (project === undefined || run.project === project),
    );
    // Newest first; of two in the same millisecond, the one started later.
    const newestFirst = summaries.reverse().sort((a, b) => b.createdAt - a.createdAt);
    return newestFirst.filter((run) => isOpen !== true || (isOpenStatus(run.status) && run.isImported !== true)).slice(0, limit);
  }

  watch(runId: RunId | undefined, wake: () => void): () => void {
    this.#assertOpen();
    const watcher = { runId, wake };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  erase(runId: RunId): void {
    this.#assertOpen();
    assertId('run id', runId);
    const run = this.#runs.get(runId);
    if (run === undefined) throw unknownRun(location, runId);
    const lease = this.#leases.get(runId);
    const summary = summarise(run);
    const status = summary?.isImported === true ? 'imported' : (summary?.status ?? '');
    const isHeld = lease !== undefined && lease.owner !== null && (!this.#holders.has(lease.owner) || isOpenStatus(status));
    const holder = isHeld ? { owner: lease.owner ?? '', since: lease.since } : undefined;
    assertMayErase(location, runId, { status, isDeleted: this.#marks.get(runId)?.deletedAt !== undefined, holder });
    for (const hash of addressesIn(JSON.stringify(run.events))) this.#loose.add(hash as ContentHash);
    this.#runs.delete(runId);
    this.#marks.delete(runId);
    this.#applied.delete(runId);
    this.#names.delete(runId);
    if (lease !== undefined) Object.assign(lease, { owner: null, epoch: lease.epoch + 1 });
  }

  async eraseLooseTexts(): Promise<number> {
    this.#assertOpen();
    for (let appends = -1, loose: Iterable<string> = []; ;) {
      // A commit during the search may refer to what it found loose.
      if (appends === this.#appends) return this.#eraseTexts(loose);
      appends = this.#appends;
      loose = await findLoose(this.#places(), this.#loose);
    }
  }

  #eraseTexts(hashes: Iterable<string>): number {
    let erased = 0;
    for (const hash of hashes) if (this.#contents.delete(hash as ContentHash)) erased += 1;
    this.#loose.clear();
    return erased;
  }

  #places(): TextPlaces {
    const [runs, contents] = [this.#runs, this.#contents];
    return {
      read: async (hashes) => hashes.flatMap((hash) => toFound(hash, contents.get(hash as ContentHash))),
      async *commitRefs() {
        for (const { events } of runs.values()) yield addressesIn(JSON.stringify(events));
      },
      async *texts() {
        yield [...contents].map(([hash, text]) => ({ hash, text }));
      },
    };
  }

  close(): void {
    this.#closed = true;
    this.#watchers.clear();
    this.#leases.clear();
  }

  #assertOpen(): void {
    if (this.#closed) throw closedJournal(location);
  }
}

function toFound(hash: string, text: string | undefined): readonly FoundText[] {
  return text === undefined ? [] : [{ hash, text }];
}

/** Returns the run's summary, updated to its last event. */
function summarise(run: MemoryRun): RunSummary | undefined {
  const last = run.events.at(-1);
  if (last !== undefined && run.summarised < run.events.length) {
    run.summary = nextSummary(run.summary, run.events.slice(run.summarised), last);
    run.summarised = run.events.length;
  }
  return run.summary;
}

/** Adds a name to those of a run; false when it was there. */
function addOnce(all: Map<RunId, Set<string>>, runId: RunId, name: string): boolean {
  const names = all.get(runId) ?? new Set();
  all.set(runId, names);
  const isNew = !names.has(name);
  names.add(name);
  return isNew;
}
