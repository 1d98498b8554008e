import type { ErrorRecord } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import type { TurnContext } from '../../core/turn-context.ts';
import { noteUnknownCost } from '../limits/turn-limits.ts';
import type { TurnTicket } from './call-model.ts';
import { interruptTurn, requeueInputs } from './interrupted-turn.ts';
import type { Action } from './node.ts';
import { decideNext, decideOnError } from './decide-next.ts';
import { recordReply } from './record-reply.ts';
import { promptTokens, viewTokens } from '../../core/prompt/context-size.ts';
import { planOf, type TurnPlan } from '../../core/profile/turn-plan.ts';
import type { ObserverRecord } from '../../core/state/turn.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { startCompaction } from '../prompt/compaction.ts';
import { trimTo, edgeAt, positionOfTokens } from '../prompt/context-view.ts';

/** Records the outcome of a turn's model call and decides what follows: the action is the edge its flow takes. */
export function finishTurn(context: TurnContext, { turnId }: TurnTicket, received: ModelOutcome): Action {
  const { tx } = context;
  const turn = tx.run.turns.get(turnId);
  if (turn?.interruptedBy !== undefined) {
    interruptTurn(context, turn, received);
    return 'interrupted';
  }
  const isFiltered = received.kind === 'reply' && received.reply.finishReason === 'content-filter';
  const outcome = isFiltered ? refusedAsError(received) : received;
  const wasCostKnown = !tx.run.usage.costUnknown;
  const plan = planOf(context.profile);
  recordReply(context, plan, turnId, outcome);
  if (wasCostKnown && tx.run.usage.costUnknown) noteUnknownCost(context);
  return decideAfterCall(context, turnId, outcome.kind === 'reply' ? undefined : outcome.error, plan);
}

/** Decides what follows a model call whose end is on record: a reply, or an error. */
export function decideAfterCall(
  context: TurnContext,
  turnId: TurnId,
  error: ErrorRecord | undefined,
  plan: TurnPlan = planOf(context.profile),
): Action {
  const { tx, env, agent, profile } = context;
  if (error === undefined)
    return decideNext(context, plan, turnId, plan.observersAfter ? env.observe(tx, agent, profile, 'post') : noObservers);
  // No rule can make room in a budget.
  if (error.code === 'LIMIT_REACHED') return 'limit';
  const turn = error.code === 'MODEL_CONTEXT_TOO_LONG' ? tx.run.turns.get(turnId) : undefined;
  return turn !== undefined && shortenRefusedPrompt(context, turn, error) ? 'interrupted' : decideOnError(context, plan, turnId);
}

const noObservers: readonly ObserverRecord[] = [];

/** Turns a filtered reply into an error (FAULTS M13): a part of a reply is no answer; its text stays in the record. */
function refusedAsError(outcome: Extract<ModelOutcome, { kind: 'reply' }>): ModelOutcome {
  const error = { code: 'MODEL_REFUSED' as const, message: "the provider's content filter stopped the reply" };
  const last = outcome.attempts.at(-1);
  const attempts =
    last === undefined ? [] : [...outcome.attempts.slice(0, -1), { ...last, error, partialText: outcome.reply.text }];
  const cost = outcome.cost === undefined ? {} : { cost: outcome.cost };
  return { kind: 'error', error, usage: outcome.usage, ...cost, attempts };
}

/**
 * Makes room after a provider refused a turn's prompt as too long (FAULTS M3): summarises the older half of the messages in
 * view, or leaves it out when the profile has no compaction, and retries the turn once. False when room was made for this
 * turn before, or none can be made; then the refusal is final.
 */
function shortenRefusedPrompt(context: TurnContext, turn: TurnState, error: ErrorRecord): boolean {
  const { tx, agent, profile } = context;
  const { agentId } = agent.meta;
  if (agent.context.madeRoom || turn.start.prompt === undefined) return false;
  const to = edgeAt(agent, positionOfTokens(agent, viewTokens(agent, agent.context.view.from) / 2));
  if (to <= agent.context.view.from) return false;
  const tokens = promptTokens(agent, turn.start.prompt) ?? viewTokens(agent, agent.context.view.from);
  const end = tx.emit({ type: 'turn.end', agentId, turnId: turn.turnId, status: 'error', error });
  tx.cause = end.seq;
  const isSummarised =
    profile.contextPolicy.compaction !== undefined &&
    agent.limits.stage !== 'last_turn' &&
    startCompaction(context, { to, tokens, reason: 'refused' }, end.seq);
  if (!isSummarised) trimTo(context, to, 'refused', end.seq);
  requeueInputs(context, turn, end.seq);
  return true;
}
