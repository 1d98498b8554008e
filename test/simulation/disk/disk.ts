import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import type { Commit, Journal, Lease } from '../../../src/core/events/journal.ts';
import type { Host } from '../process/host.ts';
import { createRandom, type Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import { checkPowerCut } from './check-power-cut.ts';
import { MemoryStorage } from './memory-storage.ts';
import { RunFacts } from './run-facts.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { diskError, type Storage } from './storage.ts';

/** Timing of the store: it answers immediately, or when the scheduler chooses, having written before or after the wait. */
type StoreMode = 'at once' | 'writes early' | 'writes late';

/** One append that was applied. */
export interface WrittenCommit {
  readonly runId: RunId;
  readonly epoch: number;
  readonly host: number;
  readonly events: readonly CadreEvent[];
  /** Its process was told that it is written. */
  isAcknowledged: boolean;
}

/** Made for each who waits: one promise for all would hold all of them as long as the program runs. */
const never = (): Promise<never> => new Promise(() => undefined);

/** One seed in so many has the memory journal instead of files. */
const memoryEvery = 4;

/** Disk of a simulated machine, with the shipped stores on it; also remembers all writes, to compare them with reads. */
export class Disk {
  readonly #world: World;
  readonly #random: Random;
  readonly #storage: Storage;
  readonly #facts = new Map<RunId, RunFacts>();
  readonly #contents = new Map<string, string>();
  /** Events read of a run, valid for that number of commits. */
  readonly #read = new Map<RunId, { readonly commits: number; readonly events: readonly CadreEvent[] }>();
  readonly #mode: StoreMode;
  commits: WrittenCommit[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#random = createRandom(world.seed, 'disk');
    this.#mode = this.#random.pick(['at once', 'at once', 'writes early', 'writes late'] as const);
    // Vitest loads the program before anybody can watch what it syncs.
    const isMemory = process.env['VITEST'] !== undefined || world.seed % memoryEvery === 0;
    this.#storage = isMemory ? new MemoryStorage(this.#random) : new SqliteStorage(world, this.#random);
  }

  /** All events of a run, as a process reads them that was just started. */
  events(runId: RunId): readonly CadreEvent[] {
    const known = this.#read.get(runId);
    if (known?.commits === this.commits.length) return known.events;
    const events = this.#storage.read(runId);
    this.#read.set(runId, { commits: this.commits.length, events });
    return events;
  }

  /** A text that was handed to the store. */
  content(hash: string): string | undefined {
    return this.#contents.get(hash);
  }

  /** The runs there are, in the order they began. */
  get runIds(): readonly RunId[] {
    return [...this.#facts].flatMap(([runId, { hasBegun }]) => (hasBegun ? [runId] : []));
  }

  /**
   * The runs that may be asking for a turn, by the run its prompt speaks of: what a fork took over in the middle of a turn speaks of the
   * run it was taken from.
   */
  askingRuns(runId: RunId, turnId: string): readonly RunId[] {
    const forks = this.runIds.filter((id) => this.#isFork(id, runId));
    const waits = (id: RunId): boolean => this.factsOf(id).turns.has(turnId) && !this.factsOf(id).answeredTurns.has(turnId);
    return [runId, ...forks].filter(waits);
  }

  /** Returns the facts of a run in the journal. */
  factsOf(runId: RunId): RunFacts {
    const known = this.#facts.get(runId) ?? new RunFacts();
    this.#facts.set(runId, known);
    return known;
  }

  /** The holder of leases is gone, or taken for gone: others may have them. */
  abandon(host: Host): void {
    const isAlone = this.#world.hosts.every((other) => other === host || other.state === 'dead');
    this.#storage.abandon(host, isAlone);
  }

  /** True when the store would give a run's lease to a rival process. */
  givesTo(runId: RunId): boolean {
    return this.#storage.givesTo(runId);
  }

  /** From now on, or no longer, nothing can be written. */
  set isFull(isFull: boolean) {
    this.#storage.isFull = isFull;
  }

  get isFull(): boolean {
    return this.#storage.isFull;
  }

  /** All processes are gone, and what was not synced may be gone with them; what must be there in spite of it is looked for. */
  cutPower(): void {
    const before = this.commits;
    this.#read.clear();
    this.#storage.cutPower();
    const lengths = new Map<RunId, number>();
    for (const runId of this.runIds) {
      const events = this.#storage.read(runId);
      lengths.set(runId, events.length);
      this.#facts.delete(runId);
      if (events.length > 0) this.factsOf(runId).add(events);
    }
    this.commits = before.filter(({ runId, events }) => (events.at(-1)?.seq ?? 0) <= (lengths.get(runId) ?? 0));
    checkPowerCut(this.#world, before, lengths, this.#storage.syncsAlways);
  }

  dispose(): void {
    this.#storage.dispose();
  }

  /** The disk as one process sees it, which has just been started. */
  journalOf(host: Host): Journal {
    const inner = this.#storage.open(host);
    const { sync } = inner;
    const answer = <T>(label: string, work: () => T | Promise<T>): T | Promise<T> => this.#answer(host, label, work);
    return {
      location: inner.location,
      acquire: (runId, owner) => answer('lease', () => inner.acquire(runId, owner)),
      holds: (lease) => inner.holds?.(lease) ?? true,
      release: (lease) => answer('release', () => inner.release(lease)),
      append: (lease, commit) => this.#append(host, inner, lease, commit),
      ...(sync === undefined
        ? {}
        : {
            sync: () =>
              this.#untilDead(
                host,
                Promise.try(() => inner.sync?.()),
              ),
          }),
      read: (runId, options = {}) =>
        answer('read', () => {
          if (this.#world.faults.strikes('journal does not read', 0.05)) throw diskError('the journal could not be read');
          return inner.read(runId, options);
        }),
      content: (hash) => inner.content(hash),
      runs: (filter) => inner.runs(filter),
      ...this.#snapshotsOf(host, inner),
      close: () => inner.close(),
    };
  }

  /** Snapshots as one process keeps and reads them, where the store has them. */
  #snapshotsOf(host: Host, inner: Journal): Pick<Journal, 'keepSnapshot' | 'keepSnapshotPart' | 'snapshot' | 'snapshotParts'> {
    const { keepSnapshot, keepSnapshotPart, snapshot, snapshotParts } = inner;
    if (keepSnapshot === undefined || keepSnapshotPart === undefined) return {};
    const answer = <T>(label: string, work: () => T | Promise<T>): T | Promise<T> => this.#answer(host, label, work);
    return {
      keepSnapshot: (lease, kept) => answer('snapshot', () => keepSnapshot(lease, kept)),
      keepSnapshotPart: (lease, name, body) => answer('part', () => keepSnapshotPart(lease, name, body)),
      snapshot: (runId) =>
        answer('snapshot', async () => {
          const found = await snapshot?.(runId);
          if (found !== undefined) this.#world.reached('taken with a snapshot');
          return found;
        }),
      snapshotParts: (runId) =>
        answer('parts', async () => {
          const found = (await snapshotParts?.(runId)) ?? new Map<string, string>();
          if (found.size > 0) this.#world.reached('taken with parts');
          return found;
        }),
    };
  }

  #isFork(runId: RunId, of: RunId): boolean {
    const { parent } = this.factsOf(runId);
    return parent !== undefined && (parent === of || this.#isFork(parent, of));
  }

  #answer<T>(host: Host, label: string, work: () => T | Promise<T>): T | Promise<T> {
    if (host.state === 'dead') return never();
    if (this.#mode === 'at once') return work();
    return this.#world.scheduler.turn(host.id, label).then(() => this.#unlessDead(host, work));
  }

  /** A process may die between the moment its turn came and what it does then. */
  #unlessDead<T>(host: Host, work: () => T): T | Promise<never> {
    return host.state === 'dead' ? never() : work();
  }

  /** Passes an answer on while the process lives; a dead process never gets it. */
  #untilDead<T>(host: Host, answer: Promise<T>): Promise<T> {
    return answer.then(
      (value) => (host.state === 'dead' ? never() : value),
      (error: unknown) => (host.state === 'dead' ? never() : Promise.reject(error as Error)),
    );
  }

  #append(host: Host, inner: Journal, lease: Lease, commit: Commit): Promise<void> | undefined {
    if (host.state === 'dead' || this.#world.moment(host, 'before a write') === 'dies') return never();
    const { scheduler } = this.#world;
    const write = (): Promise<void> | undefined => {
      const writing = this.#write(host, inner, lease, commit);
      return writing instanceof Promise ? writing.then((written) => this.#tell(host, written)) : this.#tell(host, writing);
    };
    if (this.#mode === 'at once') return write();
    if (this.#mode === 'writes late') return scheduler.turn(host.id, 'append').then(() => this.#unlessDead(host, write));
    const written = Promise.try(() => this.#write(host, inner, lease, commit));
    written.catch(() => undefined);
    return scheduler.turn(host.id, 'acknowledgement').then(async () => this.#tell(host, await written));
  }

  /** Writes a commit, or fails to; with those of other runs, it is written at the end of a turn of the event loop. */
  #write(host: Host, inner: Journal, lease: Lease, commit: Commit): WrittenCommit | Promise<WrittenCommit> {
    if (host.state === 'alive' && this.#world.faults.strikes('journal refuses', 0.03)) this.#storage.refuseNext(host);
    const appended = inner.append(lease, commit);
    if (appended === undefined) return this.#note(host, lease, commit);
    return this.#untilDead(
      host,
      appended.then(() => this.#note(host, lease, commit)),
    );
  }

  /** Notes a commit that is in the journal. */
  #note(host: Host, lease: Lease, { runId, events, contents }: Commit): WrittenCommit {
    for (const { hash, text } of contents) this.#contents.set(hash, text);
    this.factsOf(runId).add(events);
    const written = { runId, epoch: lease.epoch, host: host.id, events: [...events], isAcknowledged: false };
    this.commits.push(written);
    return written;
  }

  /** Acknowledges a commit to its process, if that is still alive. */
  #tell(host: Host, written: WrittenCommit): Promise<void> | undefined {
    const { faults } = this.#world;
    if (this.#world.moment(host, 'after a write') === 'dies') return never();
    if (host.state === 'alive' && faults.strikes('journal forgets to say', 0.03))
      throw diskError('the connection to the disk broke');
    written.isAcknowledged = true;
    return undefined;
  }
}
