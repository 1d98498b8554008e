import type { SharedJournal } from './events/journal.ts';
import type { ErrorRecord } from './error.ts';
import type { RunId } from './ids.ts';
import type { JsonObject } from './json.ts';

/** An input on its way to a run. It is applied at most once by its id; a runtime does not look into `input`. */
export interface Delivery {
  readonly id: string;
  readonly input: JsonObject;
}

/** An effect on its way to an engine that runs it. Sent again, it has the same key. */
export interface DueWork {
  readonly key: string;
  readonly effect: JsonObject;
}

/** What follows from an input that was delivered. */
export interface Applied {
  /** Why the input was refused; then nothing was written for it. */
  readonly refused?: ErrorRecord & { readonly details?: JsonObject };
  /** Effects that are due. */
  readonly works: readonly DueWork[];
  /** Milliseconds until the run has to be looked at again, because a deadline comes due. */
  readonly wakeInMs?: number;
}

/** What an engine does for a runtime. Each method may be called again with the same arguments after a crash. */
export interface RuntimeHost {
  /**
   * Decides an input and commits what was decided. For an input that was applied before, only returns what is due. Throws when it could
   * not be decided here: deliver it again.
   */
  apply(runId: RunId, delivery: Delivery): Promise<Applied>;
  /** Applies the deadlines that have come due. */
  wake(runId: RunId): Promise<Applied>;
  /** Runs an effect to its outcome, which comes back as inputs. Throws when it could not be run here: send it again, to any engine. */
  perform(runId: RunId, work: DueWork, signal: AbortSignal): Promise<readonly Delivery[]>;
}

/** A place that applies inputs and runs effects for a runtime. */
export interface RuntimeWorker {
  /** Where the runtime reaches it, for people. */
  readonly address: string;
  /** Accepts no new work, and resolves when the work in progress has ended or was left to others after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Port to what advances runs outside the process that launches them.
 *
 * 1. Inputs of one run are applied one at a time, in order of arrival; an input that was accepted is delivered until it is applied.
 * 2. What follows from an applied input is sent until it is done: works at least once, each to one engine at a time.
 * 3. Engines of one runtime share the lease of a run, by `name`.
 */
export interface Runtime {
  /** Its address, for messages. */
  readonly location: string;
  /** Name under which its engines hold runs together. */
  readonly name: string;
  /** Connects; throws RUNTIME_FAILED with what to do when it does not answer or does not fit, or when `journal` belongs to another one. */
  connect(journal: SharedJournal): Promise<RuntimeLink>;
}

/** A connected runtime. */
export interface RuntimeLink {
  /** Hands in an input; resolves once it was applied, with the reason for a refusal. */
  submit(runId: RunId, delivery: Delivery): Promise<Pick<Applied, 'refused'>>;
  /** Hands in an input; resolves once it was accepted, and will be applied. */
  send(runId: RunId, delivery: Delivery): Promise<void>;
  /** Resolves when these works have ended, or after `ms` milliseconds. */
  settled(keys: readonly string[], ms: number): Promise<void>;
  /**
   * Begins to work for the runtime. `onLost` is called when the runtime came back without what was on its way, and is repaired: the open runs
   * must be looked at.
   */
  serve(host: RuntimeHost, onLost?: () => void): Promise<RuntimeWorker>;
}
