import type { CadreError } from '../../core/error.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { UnwrittenEvents } from './commit-batch.ts';
import type { Input } from './input.ts';
import { steadyAt } from '../../core/state/run-time.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { type Deadline, expiryDeadline } from '../../nodes/limits/deadlines.ts';
import { openAsking } from '../../core/state/open-askings.ts';
import { decide } from './decide.ts';
import type { DecisionContext } from './decision-context.ts';
import { importedRefusal } from '../recovery/imported-run.ts';
import { redactInput } from '../input/redact-input.ts';
import { mayBeLate, rejectionOf } from '../input/rejection.ts';

/** The inputs of one commit, and the state of the journal they are decided on. */
export interface DecisionBatch {
  /** Sequence number of the last event in the journal. */
  readonly seq: number;
  /** Events and texts decided before and not yet appended: they follow `seq` directly. */
  readonly unwritten: UnwrittenEvents;
  readonly inputs: readonly Input[];
  /** False while the engine closes: inputs are recorded, and no new work begins. */
  readonly mayStart: boolean;
}

/**
 * Observes every decision of an engine's runs, before and after: a port that only tests set, to repeat each decision from the journal alone
 * (`test/support/rebuild/`), or to see which of a profile's tool gates judged a call (`testing/play/`). Deciding never reads it.
 */
export type DecisionWatch = (
  tx: Transaction,
  batch: DecisionBatch,
  inputGate: Pick<InputGate, 'decision'>,
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
  const refused: (CadreError | undefined)[] | undefined = made === undefined ? undefined : [];
  let place = -inputs.length;
  for (const input of inputs) {
    const error = admit(tx, gate, input, mayStart);
    if (error !== undefined) onRefused(place, error);
    refused?.push(error);
    place += 1;
  }
  made?.(refused ?? []);
}

/** The context that inputs of a run are decided with. */
export interface InputGate {
  readonly decision: DecisionContext;
  /** Returns the context for an input that brings profiles or tools; undefined for a toolset that the run no longer uses. */
  readonly contextFor: (input: Input) => DecisionContext | undefined;
  /** Adopts the profiles or tools that a decided input brought; `decision` is then theirs. */
  readonly adopt: (input: Input) => void;
}

/** Removes secrets from an input and decides it, unless it comes too late; returns the reason for a refusal. */
function admit(tx: Transaction, gate: InputGate, received: Input, mayStart: boolean): CadreError | undefined {
  if (tx.run.meta.imported !== undefined) return importedRefusal(tx.run.meta);
  const bringsTools = received.kind === 'profiles' || received.kind === 'toolset';
  const decision = bringsTools ? gate.contextFor(received) : gate.decision;
  if (decision === undefined) return undefined;
  const { secrets } = decision.env;
  const input = secrets.size === 0 ? received : redactInput(secrets, received);
  if (mayBeLate.has(input.kind)) {
    const overdue = overdueFor(tx.run, input, tx.at);
    if (overdue !== undefined) decide(tx, decision, { kind: 'timer', deadlines: [overdue] }, mayStart);
    const refused = rejectionOf(tx.run, decision, input);
    if (refused !== undefined) return refused;
  }
  decide(tx, decision, input, mayStart);
  if (bringsTools) gate.adopt(received);
  return undefined;
}

/** Returns a deadline that is due before the verdict although its timer has not fired yet: after the expiry no verdict counts. */
function overdueFor(run: RunContext, input: Input, at: number): Deadline | undefined {
  if (input.kind !== 'answer') return undefined;
  const asking = openAsking(run, input.asking);
  const due = asking?.kind === 'call' ? expiryDeadline(asking.call) : undefined;
  return due !== undefined && due.at <= steadyAt(run, at) ? due : undefined;
}
