import type { TurnContext } from '../../core/turn-context.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { ModelAttempt, ModelOutcome } from '../../core/model/model.ts';
import { planOf } from '../../core/profile/turn-plan.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { recordReply } from './record-reply.ts';
import { visibilityObserver } from '../prompt/peer-history.ts';

const interruption: ErrorRecord = {
  code: 'MODEL_INTERRUPTED',
  message: 'the model call was interrupted by a message that was sent with priority now',
};

/** Outcome recorded for an interrupted call about which nothing is known because its process ended. */
export const lostCall: ModelOutcome = { kind: 'error', error: interruption, usage: {}, attempts: [] };

/**
 * Returns the outcome of a call whose turn was interrupted. A reply that still arrived complete is kept as partial text, and
 * its tool calls are not run: once the interrupting item is in the journal, that turn has no other effect.
 */
function interruptedOutcome(outcome: ModelOutcome): ModelOutcome {
  const { usage } = outcome;
  const cost = outcome.cost === undefined ? {} : { cost: outcome.cost };
  if (outcome.kind === 'error') return { kind: 'error', error: interruption, usage, ...cost, attempts: outcome.attempts };
  const last = outcome.attempts.at(-1);
  const { text } = outcome.reply;
  const replaced: ModelAttempt | undefined =
    last === undefined ? undefined : { ...last, error: interruption, ...(text === '' ? {} : { partialText: text }) };
  const attempts = replaced === undefined ? [] : [...outcome.attempts.slice(0, -1), replaced];
  return { kind: 'error', error: interruption, usage, ...cost, attempts };
}

/**
 * Records the outcome of an interrupted call, and ends its turn. Inputs kept in history stay there; one-turn inputs are
 * posted again (I2: as separate items), so that the next turn reads them.
 */
export function interruptTurn(context: TurnContext, turn: TurnState, outcome: ModelOutcome): void {
  const { tx, agent } = context;
  const { agentId } = agent.meta;
  recordReply(context, planOf(context.profile), turn.turnId, interruptedOutcome(outcome));
  const end = tx.emit(
    { type: 'turn.end', agentId, turnId: turn.turnId, status: 'interrupted', error: interruption },
    turn.interruptedBy,
  );
  requeueInputs(context, turn, end.seq);
}

/**
 * Posts the one-turn inputs of a turn that no model answered again, except for those that the next turn's observers and
 * loop will produce themselves.
 */
export function requeueInputs(context: TurnContext, turn: TurnState, cause: number): void {
  const { tx, agent } = context;
  const momentary = new Set(['loop', visibilityObserver, ...turn.start.observers.map(({ id }) => id)]);
  turn.start.inputs.forEach((input, index) => {
    const item = turn.items[index];
    if (item === undefined || input.persistent || input.kept === true) return;
    if (item.observerId !== undefined && momentary.has(item.observerId)) return;
    const { itemId, ...draft } = item;
    // An item that is repeated several times refers to the first.
    tx.post(agent.meta.agentId, { ...draft, delivery: 'next', repeats: item.repeats ?? itemId }, cause);
  });
}
