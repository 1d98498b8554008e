import type { CadreEvent } from '../../../src/core/event.ts';
import type { ContentHash, RunId } from '../../../src/core/ids.ts';
import type { Commit, Journal, Lease } from '../../../src/core/journal.ts';
import { createMemoryJournal } from '../../../src/testing/index.ts';
import { RunFacts } from './run-facts.ts';
import type { Host } from '../process/host.ts';
import { createRandom, type Random } from '../world/random.ts';
import type { World } from '../world/world.ts';

/** How long the store takes to answer: at once, or at a moment the scheduler chooses, having written before or after the wait. */
type StoreMode = 'at once' | 'writes early' | 'writes late';

/** One append that was applied. */
export interface WrittenCommit {
  readonly runId: RunId;
  readonly epoch: number;
  readonly host: number;
  readonly events: readonly CadreEvent[];
}

const never = new Promise<never>(() => undefined);

/**
 * What survives a crash. Every other disk keeps events as text, as a file would: what a process changes in an event after
 * it was appended is lost with the process. The others keep them as they are given, which is faster.
 */
export class Disk {
  readonly #world: World;
  readonly #random: Random;
  readonly #inner = createMemoryJournal();
  readonly #texts = new Map<RunId, string[]>();
  readonly #leases = new Map<number, Lease[]>();
  readonly #facts = new Map<RunId, RunFacts>();
  readonly #mode: StoreMode;
  readonly #keepsText: boolean;
  readonly commits: WrittenCommit[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#random = createRandom(world.seed, 'disk');
    this.#keepsText = this.#random.chance(0.5);
    this.#mode = this.#random.pick(['at once', 'at once', 'writes early', 'writes late'] as const);
  }

  /** All events of a run, as somebody reads them who was not there. */
  events(runId: RunId, after = 0, limit = Infinity): readonly CadreEvent[] {
    const texts = this.#texts.get(runId);
    if (texts !== undefined) return texts.slice(after, after + limit).map((text) => JSON.parse(text) as CadreEvent);
    return this.commits.some((commit) => commit.runId === runId) ? (this.#inner.read(runId, { after, limit }) as CadreEvent[]) : [];
  }

  /** A stored text, as somebody reads it who was not there. */
  content(hash: string): string | undefined {
    return this.#inner.content(hash as ContentHash);
  }

  /** The runs there are, in the order they began. */
  get runIds(): readonly RunId[] {
    return [...this.#facts].flatMap(([runId, { hasBegun }]) => (hasBegun ? [runId] : []));
  }

  /**
   * The run that asks for a turn, by the run its prompt speaks of: what a fork took over in the middle of a turn speaks of the run it
   * was taken from.
   */
  askingRun(runId: RunId, turnId: string): RunId {
    const forks = this.runIds.filter((id) => this.#isFork(id, runId));
    const waits = (id: RunId): boolean => this.factsOf(id).turns.has(turnId) && !this.factsOf(id).answeredTurns.has(turnId);
    return [runId, ...forks].find(waits) ?? runId;
  }

  #isFork(runId: RunId, of: RunId): boolean {
    const { parent } = this.factsOf(runId);
    return parent !== undefined && (parent === of || this.#isFork(parent, of));
  }

  /** What the journal says of a run. */
  factsOf(runId: RunId): RunFacts {
    const known = this.#facts.get(runId) ?? new RunFacts();
    this.#facts.set(runId, known);
    return known;
  }

  /** The holder of leases is gone, or taken for gone: others may have them. */
  abandon(host: number): void {
    for (const lease of this.#leases.get(host) ?? []) void this.#inner.release(lease);
    this.#leases.delete(host);
  }

  /** Whether another process is given a run just like that. */
  givesTo(rival: string, runId: RunId): boolean {
    try {
      void this.#inner.acquire(runId, rival);
      return true;
    } catch {
      // Told that somebody holds it, as it must be.
      return false;
    }
  }

  /** The disk as one process sees it. */
  journalOf(host: Host): Journal {
    const inner = this.#inner;
    return {
      location: 'simulated',
      acquire: (runId, owner) =>
        this.#answer(host, 'lease', () => {
          const lease = inner.acquire(runId, `${owner}~${host.id}`) as Lease;
          this.#leases.set(host.id, [...(this.#leases.get(host.id) ?? []), lease]);
          return lease;
        }),
      release: (lease) => this.#answer(host, 'release', () => inner.release(lease) as undefined),
      append: (lease, commit) => this.#append(host, lease, commit),
      read: (runId, options = {}) =>
        this.#answer(host, 'read', () => {
          if (this.#world.faults.strikes('journal does not read', 0.05)) throw diskError('the journal could not be read');
          // Says what is wrong with a question about a run that is not there.
          void inner.read(runId, { after: 0, limit: 1 });
          return this.events(runId, options.after, options.limit);
        }),
      content: (hash) => inner.content(hash),
      runs: () => inner.runs(),
      close: () => undefined,
    };
  }

  #keepText(commit: Commit): void {
    const texts = this.#texts.get(commit.runId) ?? [];
    for (const event of commit.events) texts.push(JSON.stringify(event));
    this.#texts.set(commit.runId, texts);
  }

  #answer<T>(host: Host, label: string, work: () => T): T | Promise<T> {
    if (host.state === 'dead') return never;
    return this.#mode === 'at once' ? work() : this.#world.scheduler.turn(host.id, label).then(work);
  }

  #append(host: Host, lease: Lease, commit: Commit): Promise<void> | undefined {
    if (host.state === 'dead' || this.#world.moment(host, 'before a write') === 'dies') return never;
    if (this.#mode === 'at once') return this.#write(host, lease, commit);
    const { scheduler } = this.#world;
    if (this.#mode === 'writes late') return scheduler.turn(host.id, 'append').then(() => this.#write(host, lease, commit));
    let written: Promise<void>;
    try {
      written = Promise.resolve(this.#write(host, lease, commit));
    } catch (error) {
      written = Promise.reject(error);
      written.catch(() => undefined);
    }
    return scheduler.turn(host.id, 'acknowledgement').then(() => written);
  }

  #write(host: Host, lease: Lease, commit: Commit): Promise<void> | undefined {
    const { faults } = this.#world;
    if (host.state === 'alive' && faults.strikes('journal refuses', 0.03)) throw diskError('the disk is full');
    void this.#inner.append(lease, commit);
    if (this.#keepsText) this.#keepText(commit);
    this.factsOf(commit.runId).add(commit.events);
    this.commits.push({ runId: commit.runId, epoch: lease.epoch, host: host.id, events: [...commit.events] });
    if (this.#world.moment(host, 'after a write') === 'dies') return never;
    if (host.state === 'alive' && faults.strikes('journal forgets to say', 0.03))
      throw diskError('the connection to the disk broke');
    return undefined;
  }
}

function diskError(message: string): Error {
  return Object.assign(new Error(message), { code: 'EIO' });
}
