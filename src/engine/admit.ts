import type { CadreError } from '../core/error.ts';
import { steadyAt } from '../core/run-time.ts';
import type { RunState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import { type Due, expiryDue } from '../nodes/dues.ts';
import { suspendedCall } from './apply-answer.ts';
import { decide, type Input } from './decide.ts';
import type { Kernel } from './kernel.ts';
import { importedRefusal } from './imported-run.ts';
import { redactInput } from './redact-input.ts';
import { refusalOf } from './refusal.ts';

/** What a run decides with. */
export interface Judge {
  readonly kernel: Kernel;
  /** What an input is decided with; undefined when it is about a toolset that the run does not use any more. */
  readonly kernelFor: (input: Input) => Kernel | undefined;
  /** Takes on what a decided input brought, such as other profiles or tools: what is decided from here on uses it. */
  readonly adopt: (input: Input) => void;
}

/** Decides an input, rid of secrets, unless it comes too late; answers with why it was refused. */
export function admit(tx: Transaction, judge: Judge, received: Input, mayStart: boolean): CadreError | undefined {
  const foreign = importedRefusal(tx.run.meta);
  if (foreign !== undefined) return foreign;
  const kernel = judge.kernelFor(received);
  if (kernel === undefined) return undefined;
  const input = redactInput(kernel.env.secrets, received);
  const overdue = overdueFor(tx.run, input, tx.at);
  if (overdue !== undefined) decide(tx, kernel, { kind: 'timer', dues: [overdue] }, mayStart);
  const refused = refusalOf(tx.run, kernel, input);
  if (refused !== undefined) return refused;
  decide(tx, kernel, input, mayStart);
  judge.adopt(received);
  return undefined;
}

/** What a verdict comes too late for although its timer has not gone off yet: no moment after the expiry belongs to a person. */
function overdueFor(run: RunState, input: Input, at: number): Due | undefined {
  if (input.kind !== 'answer') return undefined;
  const due = expiryDue(suspendedCall({ run }, input.callId)?.call);
  return due !== undefined && due.at <= steadyAt(run, at) ? due : undefined;
}
