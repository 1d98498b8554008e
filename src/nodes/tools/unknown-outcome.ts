import type { TurnContext } from '../../core/turn-context.ts';
import type { ErrorRecord } from '../../core/error.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import { type CallEnding, endCall, failCall, mayHaveActed } from './end-call.ts';
import { toQuestionWait } from './question-wait.ts';

/** Schema of a person's answer about a call of unknown outcome. */
const answers: JsonObject = { enum: ['happened', 'not_happened', 'unknown'] };

/** Marks a question about a call that was interrupted, as opposed to one that a tool asks. */
const memo: JsonObject = { about: 'unknown_outcome' };

/**
 * Settles a call that was interrupted while it ran and may or may not have taken effect, as its tool declares (`on_unknown`):
 * informs the model, asks a person, or ends the agent with an error. The call is never run again silently (I5).
 */
export function settleUnknown(
  context: TurnContext,
  call: CallState,
  known: { readonly cause?: number; readonly error?: ErrorRecord } = {},
): void {
  const { tx, env, agent } = context;
  const { name, turnId } = call.request;
  const { cause, error = unknownOf(name) } = known;
  const policy = env.catalog.get(name)?.onUnknown ?? 'tell_model';
  const from = cause ?? call.startSeq ?? call.request.seq;
  switch (policy) {
    case 'tell_model':
      failCall(context, call.callId, { ...error, status: 'unknown', cause: from });
      break;
    case 'fail':
      failCall(context, call.callId, { ...error, status: 'unknown', cause: from, end: { outcome: 'error', error } });
      break;
    case 'ask_human': {
      const prompt = `'${name}' was interrupted while it ran. Did it happen? If it did not, it runs again; if this is unknown, the agent learns that.`;
      const on = toQuestionWait(env, call, { kind: 'question', prompt, schema: answers });
      tx.emit({ type: 'tool.suspend', agentId: agent.meta.agentId, turnId, callId: call.callId, on, memo }, from);
      break;
    }
  }
}

/**
 * Ends an open call of an agent that has ended. What may have taken effect has an unknown outcome, whatever its tool's effect: its agent is
 * gone, and will neither repeat nor verify it. A tool that still runs may report late.
 */
export function endWithAgent(context: TurnContext, call: CallState, cause: number): void {
  const { name } = call.request;
  const isRunning = call.status === 'running';
  if (!mayHaveActed(context.env, call)) {
    const message = 'the agent ended before this call did';
    failCall(context, call.callId, { status: 'cancelled', code: 'TOOL_CANCELLED', message, cause, isRunning });
    return;
  }
  const what = isRunning ? 'was still running when its agent ended' : 'was interrupted while it ran, and its agent has ended';
  failCall(context, call.callId, { ...unknownOf(name, what), status: 'unknown', cause, isRunning });
}

/**
 * Ends a call that may have acted, and whose tool was told to stop. A tool that stopped reported `error`; the outcome of one that goes on running
 * is unknown.
 */
export function endStopped(
  context: TurnContext,
  { callId, request: { name } }: CallState,
  { error, ...rest }: { readonly error: ErrorRecord } & Pick<CallEnding, 'isRunning' | 'progress'>,
): void {
  if (rest.isRunning === true) {
    const unknown = unknownOf(name, `was told to stop and did not (${error.message}); it was abandoned`);
    failCall(context, callId, { ...unknown, ...rest, status: 'unknown' });
    return;
  }
  const message = `${error.message}; '${name}' was stopped while it ran, and may have done part of its work`;
  failCall(context, callId, { ...error, ...rest, message, status: 'cancelled' });
}

/** True when a suspended call waits for a person to say whether it happened. */
export function asksWhetherHappened(call: CallState): boolean {
  return call.startSeq !== undefined && isJsonObject(call.memo) && call.memo['about'] === memo['about'];
}

/** Applies a person's answer about a call of unknown outcome. A call that did not happen is requested again and starts like any other. */
export function applyOutcomeAnswer(
  context: TurnContext,
  call: CallState,
  said: { readonly value: JsonValue | undefined; readonly cause: number },
): void {
  const { cause, value } = said;
  if (value === 'not_happened') return;
  if (value === 'happened') {
    const content = `A person says that this call of '${call.request.name}' happened. Its result is lost.`;
    endCall(context, call.callId, { status: 'ok', content, cause });
    return;
  }
  failCall(context, call.callId, { ...unknownOf(call.request.name), status: 'unknown', cause });
}

function unknownOf(name: string, what = 'was interrupted while it ran'): ErrorRecord {
  const message = `'${name}' ${what}. It may or may not have happened: find out before you repeat it.`;
  return { code: 'TOOL_OUTCOME_UNKNOWN', message };
}
