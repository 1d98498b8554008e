import type { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { Lease } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { Transaction } from '../../core/events/transaction.ts';
import type { ActorPorts } from './actor-ports.ts';
import { engineFault, suspendedError, asStoreError } from './run-errors.ts';
import { CommitBatch, mayWait, type UnwrittenEvents, HeldCommit } from './commit-batch.ts';
import { CommitWriter } from './commit-writer.ts';
import { DueEffects } from '../effects/due-effects.ts';
import type { Input } from './input.ts';
import { decideBatch } from './decide-batch.ts';
import { Effects } from '../effects/effects.ts';
import type { RunEffects } from '../effects/run-effects.ts';
import { subscriberNote, waitedNote } from '../effects/effect-faults.ts';
import { type Entry, InputQueue, type Waiter } from '../input/input-queue.ts';
import type { RunDriver } from './run-driver.ts';
import { rereadState } from '../recovery/read-state.ts';
import { RunSnapshots } from '../recovery/run-snapshots.ts';
import { Subscribers } from '../subscribers.ts';

const soon = Promise.resolve();

/**
 * One live run: applies inputs one at a time, commits what they decide, then starts the effects that became due.
 *
 * Owns: the order of inputs and the commit. Does not own: what an input means (`decide`), how effects run (`Effects`).
 * 1. An effect starts only after the commit that made it due.
 * 2. A failed commit stops the run at the end of its journal: its effects do not start, state in memory is discarded.
 * 3. Posting never waits for a model or a tool; subscribers never hold up a commit.
 * 4. A commit that only makes pure tools due may be held back until the next one, at most to the end of this tick: a turn whose tools
 *    answer immediately is one append. This is invisible from outside, since a held commit is not published.
 */
export class RunActor implements RunDriver {
  state: RunContext;
  /** Set when the run cannot go on in this process; the journal is as it was after the last commit. */
  halted: CadreError | undefined;
  readonly subscribers: Subscribers;
  readonly #effects: RunEffects;
  readonly #due: DueEffects;
  readonly #ports: ActorPorts;
  readonly #writer: CommitWriter;
  readonly #snapshots: RunSnapshots;
  readonly #queue = new InputQueue();
  readonly #known = new Set<ContentHash>();
  readonly #idle = new Set<() => void>();
  readonly #held: HeldCommit;
  #pumping = false;
  /** Sequence number up to which the pump has counted its work. */
  #passedSeq: number;
  #isOver: boolean;
  #closing = false;
  #paused = false;
  #appending: Promise<void> | undefined;

  constructor(state: RunContext, lease: Lease, ports: ActorPorts) {
    this.state = state;
    this.#passedSeq = state.seq;
    this.#isOver = state.outcome !== undefined;
    this.#ports = ports;
    this.#held = new HeldCommit(ports.defer, () => this.#wake());
    this.#writer = new CommitWriter(ports, lease, (ms) => this.tell(waitedNote(ms)));
    this.#snapshots = new RunSnapshots(ports, lease, state);
    this.subscribers = new Subscribers((message) => this.tell(subscriberNote(message)));
    const halt = (error: CadreError): void => this.#halt(error, []);
    const links = { subscribers: this.subscribers, tell: this.tell, halt, onIdle: this.#settleIdle };
    this.#effects = ports.effects?.(links) ?? new Effects(ports, links);
    this.#due = new DueEffects({ run: this, effects: this.#effects, defer: ports.defer, onIdle: this.#settleIdle });
  }

  /** Submits an input; the promise resolves once its decision is committed. The commit records the input's id, if it has one. */
  submit(input: Input, id?: string): Promise<void> {
    return new Promise((resolve, reject) => this.tell(input, id, { resolve, reject }));
  }

  /** Submits an input; only a waiter waits for its commit. */
  readonly tell = (input: Input, id?: string, waiter?: Waiter): void => {
    // Only callers from outside wait; running effects may still end while the engine closes.
    if (this.halted !== undefined || this.#paused || (this.#closing && waiter !== undefined)) {
      waiter?.reject(this.halted ?? suspendedError(this.state.meta.runId));
      this.#settleIdle();
      return;
    }
    this.#queue.push({ input, id, waiter });
    this.#wake();
  };

  /** Commits the start of a run together with the decision on its first input; resolves once the commit survives a power cut. */
  async begin(prefix: UnwrittenEvents, input: Input): Promise<void> {
    for (const entry of prefix.contents) this.#known.add(entry.hash);
    // Later inputs wait behind the start, including a cancel by an already aborted signal.
    this.#pumping = true;
    try {
      await this.#commit([{ input }], prefix);
    } finally {
      this.#pumping = false;
      if (this.#queue.size > 0) this.#wake();
      this.#settleIdle();
    }
    if (this.halted !== undefined) throw this.halted;
  }

  get isIdle(): boolean {
    if (this.#effects.size + this.#due.size > 0) return false;
    if (this.halted !== undefined || this.#paused) return true;
    return this.#queue.size === 0 && this.#held.batch === undefined && !this.#pumping;
  }

  /** True when the journal holds the run's end; `state` already shows it during the write. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when no effect runs and no input waits. */
  whenIdle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idle.add(resolve));
  }

  /** Resolves when no more results can come: no effect runs, and every late result is recorded. */
  async whenDetachedSettled(): Promise<void> {
    await this.#effects.whenDetachedSettled();
    await this.whenIdle();
  }

  /** Cancels the named agent or module, by default the run; resolves when all of its effects have stopped, or the grace period is over. */
  async cancel(reason: string, what: Omit<Extract<Input, { kind: 'cancel' }>, 'kind' | 'reason'> = {}): Promise<void> {
    // A finished run stays finished; one whose end is only decided may still lose that decision with its commit.
    if (!this.#isOver) await this.submit({ kind: 'cancel', reason, ...what });
    await this.#effects.drain();
  }

  /** Starts no new work: aborts model calls, lets tools end in time and records them; then releases the lease. */
  async suspend(drainMs: number): Promise<void> {
    this.#closing = true;
    this.#writer.stopWaiting();
    const error = suspendedError(this.state.meta.runId);
    // The write in progress completes first, and only then the held commit.
    if (this.#appending !== undefined) await this.#appending;
    this.#held.isDue ||= this.#held.batch !== undefined;
    this.#wake();
    await this.#effects.leave(error, drainMs);
    // A store that never answers is awaited without polling: repeated attempts would keep the process busy, and alive.
    while (this.halted === undefined && (this.#queue.size > 0 || this.#pumping))
      await (this.#appending ?? new Promise<void>((resolve) => this.#ports.defer(resolve)));
    this.#paused = true;
    this.subscribers.close(error);
    await this.#writer.leave();
  }

  #wake(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    void soon.then(this.#pump);
  }

  /** Decides and commits what waits; goes on later where a commit or the event loop needs time. */
  readonly #pump = (): void => {
    let isLater = false;
    this.#ports.loopThrottle.begin();
    try {
      while (!isLater && (this.#queue.size > 0 || this.#held.isDue) && this.halted === undefined && !this.#paused) {
        this.#held.isDue = false;
        const pending = this.#commit(this.#queue.next());
        isLater = pending !== undefined || (this.#held.batch === undefined && this.#pauses());
        if (pending !== undefined) void pending.then(() => this.#pauses() || this.#pump());
      }
    } finally {
      this.#pumping = isLater;
      if (!isLater && this.#idle.size > 0) this.#settleIdle();
    }
  };

  /** True when the event loop turns before the pump goes on: models and tools that answer immediately would starve the rest of it. */
  #pauses(): boolean {
    const events = this.state.seq - this.#passedSeq;
    this.#passedSeq = this.state.seq;
    return this.#ports.loopThrottle.delays(events, this.#pump);
  }

  readonly #settleIdle = (): void => {
    if (this.#idle.size === 0 || !this.isIdle) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  };

  /** Decides and commits a batch of inputs; returns a promise only when the journal does. */
  #commit(entries: readonly Entry[], prefix?: UnwrittenEvents): Promise<void> | undefined {
    const { decision, clock } = this.#ports;
    // Known hashes only save work; a text that is written twice is still stored once.
    if (this.#known.size > 4_096) this.#known.clear();
    const batch = this.#held.batch ?? new CommitBatch(this.state.seq - (prefix?.events.length ?? 0));
    const now = clock.now();
    const tx = new Transaction(this.state, now, { hash: decision.env.hash, known: this.#known });
    const jump = entries.length === 0 ? undefined : this.#effects.clockJump(this.state, now);
    const inputs = jump === undefined ? [] : [jump];
    let isAwaited = prefix !== undefined;
    for (const { input, id, waiter } of entries) {
      inputs.push(input);
      if (id !== undefined) (batch.inputs ??= []).push(id);
      if (waiter !== undefined) isAwaited = true;
    }
    try {
      const from = { seq: batch.expectedSeq, unwritten: prefix ?? batch, inputs, mayStart: !this.#closing };
      decideBatch(tx, this.#ports, from, (place, error) => batch.refuse(entries.at(place), error));
    } catch (thrown) {
      return this.#endWithFault(entries, thrown, batch.expectedSeq);
    }
    if (tx.isFull && this.#queue.pushRest(tx)) this.#wake();
    if (prefix !== undefined) batch.add({ events: [...prefix.events], contents: [...prefix.contents] });
    batch.add(tx);
    if (isAwaited || !mayWait(tx)) return this.#append(tx, entries, batch);
    this.#held.hold(batch);
    this.#due.add(tx.effects);
    return undefined;
  }

  #append(tx: Transaction, entries: readonly Entry[], batch: CommitBatch): Promise<void> | undefined {
    const { events } = batch;
    if (events.length === 0) {
      // A resumption may record nothing new and still have a model call to make.
      this.#due.add(tx.effects);
      for (const { waiter } of entries) waiter?.resolve();
      return undefined;
    }
    try {
      const appended = this.#writer.append(this.state.meta.runId, batch, tx);
      if (appended !== undefined) {
        const applied = appended.then(
          () => this.#committed(tx, events, entries),
          (thrown: unknown) => this.#halt(thrown, entries),
        );
        this.#appending = applied.finally(() => (this.#appending = undefined));
        return this.#appending;
      }
    } catch (thrown) {
      this.#halt(thrown, entries);
      return undefined;
    }
    this.#committed(tx, events, entries);
    return undefined;
  }

  #committed(tx: Transaction, events: readonly CadreEvent[], entries: readonly Entry[]): void {
    this.#held.batch = undefined;
    this.#isOver = this.state.outcome !== undefined;
    // A fault that halted the run during the write keeps these effects from starting.
    const goesOn = this.halted === undefined;
    try {
      if (goesOn) this.#effects.noteCommit(this.state, events);
      if (goesOn && (this.#isOver || this.state.seq >= this.#snapshots.next)) this.#snapshots.noteCommit(this.state);
    } catch (thrown) {
      // The journal is whole, and the engine at fault: the run stops here, and can be resumed.
      return this.#halt(engineFault(['the work after a commit'], thrown), entries);
    }
    if (goesOn && !this.#paused) this.#due.add(tx.effects);
    for (const { waiter } of entries) waiter?.resolve();
    if (goesOn) this.subscribers.publish(events);
  }

  /** Stops the run and its effects after the journal refused a commit. Committed state is not lost. */
  #halt(thrown: unknown, entries: readonly Entry[]): void {
    const error = this.halted ?? asStoreError(this.state.meta.runId, thrown);
    this.halted = error;
    this.#held.batch = undefined;
    this.#due.clear();
    this.#effects.abortAll(error);
    // A decision that could not be written is undone.
    rereadState(this.#ports.journal, this.state.meta.runId, this.#asRead);
    for (const { waiter } of [...entries, ...this.#queue.clear()]) waiter?.reject(error);
    this.subscribers.close(error);
    this.#settleIdle();
  }

  readonly #asRead = (state: RunContext): void => {
    this.state = state;
    this.#isOver = state.outcome !== undefined;
  };

  /** Ends the run after a fault of the engine itself: resets state to the journal, and records the fault as the run's error. */
  async #endWithFault(entries: readonly Entry[], thrown: unknown, seq: number): Promise<void> {
    const kinds = entries.map(({ input }) => input.kind);
    const error = engineFault(kinds, thrown);
    try {
      this.#held.batch = undefined;
      // Texts of the lost decision may never have been stored.
      this.#known.clear();
      const state = seq === 0 ? undefined : foldEvents(await this.#ports.journal.read(this.state.meta.runId));
      if (state === undefined || kinds.includes('fail')) throw error;
      this.#asRead(state);
      for (const { waiter } of entries) waiter?.reject(error);
      await this.#commit([{ input: { kind: 'fail', error: { code: error.code, message: error.message } } }]);
    } catch (failure) {
      this.#halt(failure, entries);
    }
  }
}
