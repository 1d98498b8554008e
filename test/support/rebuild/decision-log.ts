import type { CadreError } from '../../../src/core/error.ts';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { ContentHash, RunId } from '../../../src/core/ids.ts';
import type { DecisionBatch, DecisionWatch } from '../../../src/engine/run/decide-batch.ts';
import type { Input } from '../../../src/engine/run/input.ts';
import { isToolReturn } from '../../../src/core/tool/tool-return.ts';
import type { Transaction } from '../../../src/core/events/transaction.ts';
import { encodeCommit } from '../../../src/journal/codec/event-codec.ts';

/** One event as the stores write it, by itself. */
export interface WrittenEvent {
  readonly runId: RunId;
  readonly seq: number;
  readonly at: number;
  readonly body: string;
}

/** A decision as it was made: from where, on which inputs, and with what outcome. */
export interface LoggedDecision {
  readonly runId: RunId;
  /** Last sequence number of the journal at that time. */
  readonly seq: number;
  /** Decided before and not in the journal yet. */
  readonly unwritten: readonly WrittenEvent[];
  readonly at: number;
  readonly mayStart: boolean;
  /** Copies: what became of the originals in the run is not seen here. */
  readonly inputs: readonly Input[];
  readonly made: Made;
}

/** Result of a decision, as text that can be compared. */
export interface Made {
  readonly events: readonly string[];
  readonly effects: readonly string[];
  /** For each input the code and message of its refusal, or nothing. */
  readonly refused: readonly string[];
}

/** The event as the stores write it. */
export function written(event: CadreEvent): WrittenEvent {
  return { runId: event.runId, seq: event.seq, at: event.at, body: encodeCommit([event]) };
}

/** Returns the result of a transaction, as text. */
export function madeBy(tx: Transaction, refused: readonly (CadreError | undefined)[]): Made {
  return {
    events: tx.events.map((event) => `${event.seq} ${encodeCommit([event])}`),
    effects: tx.effects.map((effect) => JSON.stringify(effect)),
    refused: refused.map((error) => (error === undefined ? '' : `${error.code}: ${error.message}`)),
  };
}

/** Keeps every decision of the runs of one or several engines, until they are made again. */
export class DecisionLog {
  readonly decisions: LoggedDecision[] = [];
  /** Texts that were not in the journal when they were needed: those of a run that begins. */
  readonly texts = new Map<ContentHash, string>();

  /** Returns the watch for `PreparedEngine.open({ watch })`; `isReturn` is the `isToolReturn` of the engine's program. */
  watch(isReturn: typeof isToolReturn = isToolReturn): DecisionWatch {
    return (tx, batch) => {
      const about = this.#about(tx, batch, isReturn);
      return (refused) => void this.decisions.push({ ...about, made: madeBy(tx, refused) });
    };
  }

  #about(
    tx: Transaction,
    { seq, unwritten, inputs, mayStart }: DecisionBatch,
    isReturn: typeof isToolReturn,
  ): Omit<LoggedDecision, 'made'> {
    for (const { hash, text } of unwritten.contents) this.texts.set(hash, text);
    return {
      runId: tx.run.meta.runId,
      seq,
      unwritten: unwritten.events.map(written),
      at: tx.at,
      mayStart,
      inputs: inputs.map(({ ...input }) => {
        // Who makes the decision again compiles these profiles for itself.
        if (input.kind === 'profiles') delete (input as { hold?: unknown }).hold;
        return copied(input, new Map(), isReturn);
      }),
    };
  }
}

/** The key of what a tool returned with a mark, in every copy of this module: marks are made again by the program that decides again. */
export const markedReturn = Symbol.for('cadre test: marked return');

/** A copy of plain data; functions, errors and other objects with a class are the same ones, since only their class can make them. */
function copied<T>(value: T, known: Map<unknown, unknown>, isReturn: typeof isToolReturn): T {
  if (typeof value !== 'object' || value === null) return value;
  const before = known.get(value);
  if (before !== undefined) return before as T;
  if (isReturn(value)) return { [markedReturn]: { ...value } } as T;
  const isList = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isList && prototype !== Object.prototype && prototype !== null) return value;
  const copy = (isList ? [] : Object.create(prototype as object | null)) as Record<string, unknown>;
  known.set(value, copy);
  for (const [key, part] of Object.entries(value)) copy[key] = copied<unknown>(part, known, isReturn);
  return copy as T;
}
