import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import { Transaction } from '../../core/events/transaction.ts';
import { applyEvent } from '../../core/fold/apply-event.ts';
import { borrowRun } from '../../core/fold/copy-run.ts';
import type { AgentId, ContentHash } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { TurnContext } from '../../core/turn-context.ts';
import { decideAfterCall } from '../../nodes/turn/finish-turn.ts';
import type { NotBegun } from '../../nodes/turn/not-begun.ts';
import { prepareTurn } from '../../nodes/turn/prepare-turn.ts';
import { takeNextStep } from '../run/take-next-step.ts';
import type { DecisionContext } from '../run/decision-context.ts';

/*
 * Parts of a turn, decided on a copy of the state; no journal, model or tool is reached.
 */

/** What a decision that was tried emitted, and the state that it left. */
export interface Tried {
  readonly run: RunContext;
  readonly events: readonly CadreEvent[];
  /** Texts that its events refer to. */
  readonly texts: ReadonlyMap<ContentHash, string>;
}

/** A preparation that was tried. */
export interface TriedPrep extends Tried {
  /** Events before `turn.start`. */
  readonly prep: readonly CadreEvent[];
  readonly start: EventOf<'turn.start'> | undefined;
  /** Reason why it did not begin a turn, in words. */
  readonly notBegun: string | undefined;
}

const reasons: Readonly<Record<NotBegun, string>> = {
  compacting: 'its history would be summarised first',
  escalated: 'its escalation would end it or ask a person first',
  at_checkpoint: 'a checkpoint would ask a person first',
  limit_reached: 'a limit would end it first',
};

/** Prepares a turn of an agent on a copy of the state directly before its recorded preparation; `keeps` says if the state is used after. */
export function tryPrep(
  run: RunContext,
  decision: DecisionContext,
  { agentId, at }: EventOf<'turn.start'>,
  keeps: (prep: TriedPrep) => boolean,
): TriedPrep {
  const { run: copy, giveBack } = borrowRun(run, agentId);
  let isKept = false;
  try {
    const tx = begin(copy, decision, at);
    const prepared = prepareTurn(contextOf(tx, decision, agentId));
    const start = tx.events.find((event) => event.type === 'turn.start');
    const prep: TriedPrep = {
      ...tried(tx),
      prep: tx.events.filter((event) => event !== start),
      start,
      notBegun: typeof prepared === 'string' ? reasons[prepared] : undefined,
    };
    isKept = keeps(prep);
    return prep;
  } finally {
    giveBack(isKept);
  }
}

/** Decides what follows a recorded model call, on a copy of the state with its `model.end`; or on `diverged`, which it changes. */
export function tryPost(
  run: RunContext,
  decision: DecisionContext,
  end: EventOf<'model.end'>,
  diverged: RunContext | undefined,
): Tried {
  const { run: copy, giveBack } =
    diverged === undefined ? borrowRun(run, end.agentId) : { run: diverged, giveBack: () => undefined };
  try {
    const tx = begin(copy, decision, end.at);
    const context = contextOf(tx, decision, end.agentId);
    tx.cause = end.seq;
    const action = decideAfterCall(context, end.turnId, end.error);
    takeNextStep(context, end.turnId, action);
    return tried(tx);
  } finally {
    giveBack(false);
  }
}

/** Applies a recorded event to a state that has gone another way; false when it does not fit it any more. */
export function follow(run: RunContext, event: CadreEvent): boolean {
  // Ended agents are shared with the recorded state, which restarts them itself.
  if (event.type === 'agent.restart') return false;
  try {
    applyEvent(run, event);
    return true;
  } catch {
    // The event changes what this state never had: from here on the recorded state is the better guess.
    return false;
  }
}

function begin(run: RunContext, { env }: DecisionContext, at: number): Transaction {
  return new Transaction(run, at, { hash: env.hash, known: new Set() });
}

function contextOf(tx: Transaction, { env }: DecisionContext, agentId: AgentId): TurnContext {
  const agent = tx.run.agents.get(agentId);
  if (agent === undefined) throw new Error(`run ${tx.run.meta.runId} has no agent ${agentId}`);
  return new TurnContext(tx, env, agent);
}

function tried({ run, events, contents }: Transaction): Tried {
  return { run, events, texts: new Map(contents.map(({ hash, text }) => [hash, text])) };
}
