import type { Clock } from '../../core/clock.ts';
import { CadreError } from '../../core/error.ts';
import type { Commit, Journal, Lease } from '../../core/events/journal.ts';
import type { Effect, Transaction } from '../../core/events/transaction.ts';
import type { RunId } from '../../core/ids.ts';
import type { CommitBatch } from './commit-batch.ts';
import type { LoopThrottle } from './loop-throttle.ts';

/** Milliseconds a run waits for a store locked by other processes before it halts, and milliseconds between two tries. */
const longestWaitMs = 120_000;
const pauseMs = 250;
/** Number of events from which a commit gets a separate turn of the event loop. */
const bigCommit = 256;

/** Services for writing commits. */
export interface WriterPorts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly loopThrottle: LoopThrottle;
  /** Calls back in a later turn of the event loop. */
  readonly defer: (callback: () => void) => void;
}

/**
 * Writes the commits of one run under its lease.
 *
 * 1. A store that is locked by another process delays the commit: nothing was written, and the run goes on once it is.
 * 2. Its first commit, a launch or a resumption, is on the disk before it counts, and all that other processes wrote before with it; those
 *    at the same time share a sync.
 * 3. After a commit that took time, what acts outside begins only if the run was not taken over meanwhile.
 */
export class CommitWriter {
  readonly #ports: WriterPorts;
  readonly #lease: Lease;
  readonly #onWaited: (ms: number) => void;
  #hasBegun = false;
  #isLeaving = false;

  /** `onWaited` receives the length of a wait, in milliseconds, once the store could be written again. */
  constructor(ports: WriterPorts, lease: Lease, onWaited: (ms: number) => void) {
    this.#ports = ports;
    this.#lease = lease;
    this.#onWaited = onWaited;
  }

  /** Appends a batch whose last decision is `tx`; returns a promise when the journal does, or must be waited for. */
  append(
    runId: RunId,
    { expectedSeq, events, contents, inputs }: CommitBatch,
    tx: Pick<Transaction, 'sync' | 'effects'>,
  ): Promise<void> | undefined {
    const { journal } = this.#ports;
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    const sync = tx.sync || (isFirst && journal.sync === undefined);
    const commit: Commit = { runId, expectedSeq, events, contents, sync };
    if (inputs !== undefined) Object.assign(commit, { inputs });
    // Deciding it already took long.
    const isBig = events.length > bigCommit;
    const appended = isBig ? this.#appendLater(commit) : (journal.append(this.#lease, commit) ?? undefined);
    const written = appended?.catch((thrown: unknown) => this.#again(commit, thrown));
    const durable = isFirst && !sync ? this.#synced(written) : written;
    if ((durable === undefined && !sync) || !actsOutside(tx.effects)) return durable;
    return durable === undefined ? this.#assertHeld(runId) : durable.then(() => this.#assertHeld(runId));
  }

  /** Stops waiting for a locked store: the next failure is final. */
  stopWaiting(): void {
    this.#isLeaving = true;
  }

  /** Releases the lease. A failing store does not prevent closing: all state is in the journal. */
  async leave(): Promise<void> {
    await Promise.try(() => this.#ports.journal.release(this.#lease)).catch(() => undefined);
  }

  /** Checks the lease: a process that paused during a write may continue after another has taken its run and repeated its actions. */
  #assertHeld(runId: RunId): Promise<void> | undefined {
    const held = this.#ports.journal.holds?.(this.#lease) ?? true;
    if (held instanceof Promise) return held.then((isHeld) => assertNotTaken(runId, isHeld));
    assertNotTaken(runId, held);
    return undefined;
  }

  async #appendLater(commit: Commit): Promise<void> {
    await new Promise<void>(this.#ports.defer);
    await this.#ports.journal.append(this.#lease, commit);
  }

  async #synced(written: Promise<void> | undefined): Promise<void> {
    const { journal, loopThrottle } = this.#ports;
    await written;
    await journal.sync?.();
    // Otherwise all runs launched together would start at the same moment.
    await loopThrottle.pass(4);
  }

  async #again(commit: Commit, first: unknown): Promise<void> {
    const { journal, clock } = this.#ports;
    const began = clock.monotonic();
    for (let thrown = first; ;) {
      const waited = clock.monotonic() - began;
      if (!isLockedElsewhere(thrown) || this.#isLeaving || waited > longestWaitMs) throw thrown;
      if (thrown === first) process.emitWarning(`run ${commit.runId} waits: ${thrown.message}`, 'CadreWarning');
      await new Promise<void>((resolve) => void clock.setTimer(pauseMs, resolve));
      try {
        await journal.append(this.#lease, commit);
        this.#onWaited(clock.monotonic() - began);
        return;
      } catch (again) {
        thrown = again;
      }
    }
  }
}

/** True when effects include tools that cannot be undone. */
function actsOutside(effects: readonly Effect[]): boolean {
  return effects.some((effect) => effect.kind === 'tool' && !effect.pure);
}

function assertNotTaken(runId: RunId, isHeld: boolean): void {
  if (isHeld) return;
  throw new CadreError(
    'STORE_CONFLICT',
    `run ${runId}: another process took the run over while this one wrote; what it was about to do is not done here. Stop this run here`,
    { details: { runId } },
  );
}

/** True when a store could not be written because another process has it locked: the write can be tried again. */
function isLockedElsewhere(thrown: unknown): thrown is CadreError {
  return thrown instanceof CadreError && thrown.code === 'STORE_FAILED' && thrown.details['isLocked'] === true;
}
