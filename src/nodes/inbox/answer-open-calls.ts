import type { ErrorCode } from '../../core/error.ts';
import type { CallId } from '../../core/ids.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import { isJsonObject } from '../../core/json.ts';

/**
 * Answers tool calls of the last reply that nothing answered (I1, A1.1 dangling tool calls): whatever kept their results
 * from arriving, the model gets one error result per call, in place, instead of a history its provider refuses.
 */
export function answerOpenCalls(tx: Transaction, agent: SubContext, open: readonly CallId[]): void {
  const newest = agent.inbox.items.at(-1);
  // Mostly there was one call, and its result came last.
  if (open.length === 1 && newest !== undefined && answeredCall(newest.item) === open[0]) return;
  const unanswered = new Set(open);
  // Results mostly came last, behind everything that waits longer.
  for (let place = agent.inbox.items.length - 1; place >= 0 && unanswered.size > 0; place -= 1) {
    const waiting = agent.inbox.items[place];
    const callId = waiting === undefined ? undefined : answeredCall(waiting.item);
    if (callId !== undefined) unanswered.delete(callId);
  }
  for (const callId of unanswered) postDanglingResult(tx, agent, callId);
}

function postDanglingResult(tx: Transaction, agent: SubContext, callId: CallId): void {
  const call = tx.run.turns
    .get(agent.history.origins.at(-1)?.turnId ?? agent.turn.lastId ?? ('' as NonNullable<SubContext['turn']['lastId']>))
    ?.calls.find((candidate) => candidate.callId === callId);
  tx.post(agent.meta.agentId, {
    source: 'TOOL_RESULT',
    payload: {
      tool_name: call?.request.name ?? 'unknown',
      tool_call_id: callId,
      is_error: true,
      content: JSON.stringify(lossOf(call)),
    },
    observerId: danglingCallResolver,
  });
}

/** Describes a call whose result never arrived. */
function lossOf(call: CallState | undefined): { readonly error: ErrorCode; readonly message: string } {
  if (call?.end !== undefined) {
    const { status, error } = call.end;
    const since = call.late === undefined ? '' : ` Its tool ended since: ${call.late.status}.`;
    // The error of a call whose agent ended while it ran says what happened.
    const what =
      status === 'unknown' && error !== undefined ? error.message : `This call ended (${status}), and its result was lost.`;
    return { error: 'TOOL_OUTCOME_UNKNOWN', message: `${what}${since}` };
  }
  if (call?.startSeq === undefined)
    return { error: 'TOOL_NOT_STARTED', message: 'This call was never run. If you still need its result, call the tool again.' };
  const message = 'This call was begun and never answered. It may or may not have happened: find out before you repeat it.';
  return { error: 'TOOL_OUTCOME_UNKNOWN', message };
}

/** Observer id of the substitute results for calls that never got one. */
const danglingCallResolver = 'dangling_call_resolver';

/**
 * The call an item answers. Only the engine posts results: what a tool, an observer or a rule calls a TOOL_RESULT is an
 * item like any other, since a result without its call, or a second one, makes a history that providers refuse (I1).
 */
export function answeredCall(item: InboxItem): CallId | undefined {
  if (item.source !== 'TOOL_RESULT' || item.from !== undefined || item.ruleId !== undefined) return undefined;
  if (item.observerId !== undefined && item.observerId !== danglingCallResolver) return undefined;
  return isJsonObject(item.payload) ? (String(item.payload['tool_call_id']) as CallId) : undefined;
}

const none: readonly never[] = [];

/** The calls that the next turn must answer: those of a reply that is the last message. */
export function openCallsOf(agent: SubContext): readonly CallId[] {
  const { messages, origins } = agent.history;
  return messages.at(-1)?.role === 'assistant' ? (origins.at(-1)?.callIds ?? none) : none;
}
