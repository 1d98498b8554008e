import type { CadreError } from '../../core/error.ts';
import { steadyAt } from '../../core/state/run-time.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { type Deadline, expiryDeadline } from '../../nodes/limits/deadlines.ts';
import { suspendedCall } from './apply-answer.ts';
import { decide } from '../run/decide.ts';
import { type Input } from '../run/input.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import { importedRefusal } from '../recovery/imported-run.ts';
import { redactInput } from './redact-input.ts';
import { rejectionOf } from './rejection.ts';

/** Gives each input of a run the context to decide it with. */
export interface InputGate {
  readonly decision: DecisionContext;
  /** Returns the context for an input; undefined when the input is about a toolset that the run no longer uses. */
  readonly contextFor: (input: Input) => DecisionContext | undefined;
  /** Adopts the profiles or tools that a decided input brought; later decisions use them. */
  readonly adopt: (input: Input) => void;
}

/** Removes secrets from an input and decides it, unless it comes too late; returns the reason for a refusal. */
export function admit(tx: Transaction, gate: InputGate, received: Input, mayStart: boolean): CadreError | undefined {
  const foreign = importedRefusal(tx.run.meta);
  if (foreign !== undefined) return foreign;
  const decision = gate.contextFor(received);
  if (decision === undefined) return undefined;
  const input = redactInput(decision.env.secrets, received);
  const overdue = overdueFor(tx.run, input, tx.at);
  if (overdue !== undefined) decide(tx, decision, { kind: 'timer', deadlines: [overdue] }, mayStart);
  const refused = rejectionOf(tx.run, decision, input);
  if (refused !== undefined) return refused;
  decide(tx, decision, input, mayStart);
  gate.adopt(received);
  return undefined;
}

/** Returns a deadline that is due before the verdict although its timer has not fired yet: after the expiry no verdict counts. */
function overdueFor(run: RunContext, input: Input, at: number): Deadline | undefined {
  if (input.kind !== 'answer') return undefined;
  const due = expiryDeadline(suspendedCall({ run }, input.callId)?.call);
  return due !== undefined && due.at <= steadyAt(run, at) ? due : undefined;
}
