import type { CadreError } from '../../core/error.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { admit, type InputGate } from '../input/input-gate.ts';
import type { Prefix } from './commit-batch.ts';
import type { Input } from './input.ts';

/** The inputs of one commit, and the state of the journal they are decided on. */
export interface DecisionBatch {
  /** Sequence number of the last event in the journal. */
  readonly seq: number;
  /** Events and texts decided before and not yet appended: they follow `seq` directly. */
  readonly unwritten: Prefix;
  readonly inputs: readonly Input[];
  /** False while the engine closes: inputs are recorded, and no new work begins. */
  readonly mayStart: boolean;
}

/**
 * Observes every decision of an engine's runs, before and after: a port that only tests set, to repeat each decision from the journal alone
 * (`test/support/rebuild/`), or to see which gate judged a call (`testing/play/`). Deciding never reads it.
 */
export type DecisionWatch = (
  tx: Transaction,
  batch: DecisionBatch,
  gate: Pick<InputGate, 'decision'>,
) => (refused: readonly (CadreError | undefined)[]) => void;

/** An input gate whose decisions can be observed. */
export interface WatchedGate extends InputGate {
  readonly watch?: DecisionWatch | undefined;
}

/** Decides the inputs of a batch in order; `onRefused` receives refused ones, by their place from the end (-1 is the last). */
export function decideBatch(
  tx: Transaction,
  gate: WatchedGate,
  batch: DecisionBatch,
  onRefused: (place: number, error: CadreError) => void,
): void {
  const { inputs, mayStart } = batch;
  const made = gate.watch?.(tx, batch, gate);
  const refused = inputs.map((input, index) => {
    const error = admit(tx, gate, input, mayStart);
    if (error !== undefined) onRefused(index - inputs.length, error);
    return error;
  });
  made?.(refused);
}
