import type { Clock } from '../../core/clock.ts';
import { CadreError } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { Journal, Lease } from '../../core/events/journal.ts';
import type { RemoteRuns } from '../runtime/remote-runs.ts';
import type { LoopThrottle } from '../run/loop-throttle.ts';

/** Milliseconds between checks on a holder that cannot be observed. */
const askAgainMs = 1_000;

/** A run an engine wants. With `isPatient` it waits until it is known whether an unobservable holder is gone. */
export interface WantedRun {
  readonly runId: RunId;
  readonly isPatient?: boolean | undefined;
}

/** Services and settings for taking leases. */
export interface LeaseParts {
  readonly journal: Journal;
  readonly owner: string;
  readonly clock: Clock;
  readonly loopThrottle: LoopThrottle;
  readonly remote?: Pick<RemoteRuns, 'acquire'> | undefined;
}

/**
 * Leases that an engine takes.
 *
 * 1. A lease whose run fails to start is released.
 * 2. Closing waits for leases in the process of being taken, but not for holders that may be gone.
 */
export class Leases {
  readonly #journal: Journal;
  readonly #owner: string;
  readonly #clock: Clock;
  readonly #loopThrottle: LoopThrottle;
  readonly #remote: LeaseParts['remote'];
  readonly #taking = new Set<Promise<unknown>>();
  readonly #closing = Promise.withResolvers<void>();
  #isClosing = false;

  constructor({ journal, owner, clock, loopThrottle, remote }: LeaseParts) {
    this.#remote = remote;
    this.#journal = journal;
    this.#owner = owner;
    this.#clock = clock;
    this.#loopThrottle = loopThrottle;
  }

  /** Takes the lease of a run and starts the run with it; releases the lease when that fails. */
  async take<T>(wanted: WantedRun, begin: (lease: Lease) => T | Promise<T>): Promise<T> {
    const taking = this.#take(wanted, begin);
    this.#taking.add(taking);
    try {
      return await taking;
    } finally {
      this.#taking.delete(taking);
    }
  }

  /** Resolves when no lease is being taken; waits for holders are abandoned. */
  async settled(): Promise<void> {
    this.#isClosing = true;
    this.#closing.resolve();
    await Promise.allSettled(this.#taking);
  }

  async #take<T>({ runId, isPatient = false }: WantedRun, begin: (lease: Lease) => T | Promise<T>): Promise<T> {
    const lease = await this.#acquire(runId, isPatient);
    try {
      return await begin(lease);
    } catch (thrown) {
      await this.giveBack(lease);
      throw thrown;
    }
  }

  async #acquire(runId: RunId, isPatient: boolean): Promise<Lease> {
    // Starting a run is the heaviest operation of an engine.
    const turn = this.#loopThrottle.pass(8);
    if (turn !== undefined) await turn;
    for (;;) {
      try {
        return await (this.#remote?.acquire(runId) ?? this.#journal.acquire(runId, this.#owner));
      } catch (thrown) {
        const wait = isPatient && !this.#isClosing ? undecidedMs(thrown) : undefined;
        if (wait === undefined) throw thrown;
        await this.#pause(Math.min(wait, askAgainMs));
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    let cancel: (() => void) | undefined;
    const time = new Promise<void>((resolve) => {
      cancel = this.#clock.setTimer(ms, resolve);
    });
    await Promise.race([time, this.#closing.promise]);
    cancel?.();
  }

  /** Releases the lease of a run that cannot go on here, so that the next resume finds it free. */
  async giveBack(lease: Lease): Promise<void> {
    try {
      await this.#journal.release(lease);
    } catch {
      // The store fails here as well: the error that stopped the run says so, and the lease ends with this process.
    }
  }
}

/**
 * Returns the longest time, in milliseconds, until it is known whether a run's holder is gone; undefined when the holder is alive, or for
 * other failures.
 */
export function undecidedMs(thrown: unknown): number | undefined {
  if (!(thrown instanceof CadreError) || thrown.code !== 'RUN_LOCKED') return undefined;
  const { knownInMs } = thrown.details;
  return typeof knownInMs === 'number' ? knownInMs : undefined;
}
