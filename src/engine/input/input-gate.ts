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

/** What a run decides with. */
export interface InputGate {
  readonly decision: DecisionContext;
  /** What an input is decided with; undefined when it is about a toolset that the run does not use any more. */
  readonly contextFor: (input: Input) => DecisionContext | undefined;
  /** Takes on what a decided input brought, such as other profiles or tools: what is decided from here on uses it. */
  readonly adopt: (input: Input) => void;
}

/** Decides an input, rid of secrets, unless it comes too late; answers with why it was refused. */
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

/** What a verdict comes too late for although its timer has not gone off yet: no moment after the expiry belongs to a person. */
function overdueFor(run: RunContext, input: Input, at: number): Deadline | undefined {
  if (input.kind !== 'answer') return undefined;
  const due = expiryDeadline(suspendedCall({ run }, input.callId)?.call);
  return due !== undefined && due.at <= steadyAt(run, at) ? due : undefined;
}
