import type { TurnContext } from '../../core/turn-context.ts';
import type { ErrorRecord } from '../../core/error.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import { endCall, failCall } from './end-call.ts';
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

function unknownOf(name: string): ErrorRecord {
  const message = `'${name}' was interrupted while it ran. It may or may not have happened: find out before you repeat it.`;
  return { code: 'TOOL_OUTCOME_UNKNOWN', message };
}
