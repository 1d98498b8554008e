import type { ErrorRecord } from '../../core/error.ts';
import { defaultCooldownMs, type LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelReply } from '../../core/model/model.ts';
import type { ModelFailure } from './model-failure.ts';

/** True when the failure concerns the config (key, model, provider), not this prompt. */
export function concernsConfig({ code, details }: ModelFailure): boolean {
  switch (code) {
    case 'MODEL_RATE_LIMITED':
    case 'MODEL_UNAVAILABLE':
    case 'MODEL_TIMEOUT':
    case 'MODEL_BAD_RESPONSE':
    case 'MODEL_STREAM_CUT':
      return true;
    case 'MODEL_REJECTED':
      return configStatuses.has(details?.['statusCode']);
    default:
      return false;
  }
}

// Statuses about the key or the model, which every call would get.
const configStatuses: ReadonlySet<unknown> = new Set([401, 402, 403, 404]);

/** Returns the cooldown of a failed config in milliseconds: the config's or the server's, up to the longest wait. */
export function cooldownOf({ cooldownMs = defaultCooldownMs, retry }: LlmConfig, { retryAfterMs = 0 }: ModelFailure): number {
  return cooldownMs === 0 ? 0 : Math.max(cooldownMs, Math.min(retryAfterMs, retry.maxWaitMs));
}

/** True when a failure ends the call: neither an abort nor a refusal is sent to another model. */
export function isFinal(failure: ModelFailure): boolean {
  return failure.code === 'MODEL_ABORTED' || failure.code === 'MODEL_REFUSED';
}

/** True when a reply is unusable: reasoning alone is no answer. A reply cut by a limit or filter is not empty. */
export function isEmpty(reply: ModelReply): boolean {
  const ended = reply.finishReason === 'stop' || reply.finishReason === 'tool-calls';
  return ended && reply.toolCalls.length === 0 && (reply.files?.length ?? 0) === 0 && reply.text.trim() === '';
}

/** Returns the error recorded for a reply that is no answer. */
export function replyError(reply: ModelReply, empty: boolean): ErrorRecord | undefined {
  if (empty) return { code: 'MODEL_EMPTY_REPLY', message: 'The model ended its reply without any text or tool call.' };
  if (reply.finishReason !== 'content-filter') return undefined;
  return { code: 'MODEL_REFUSED', message: "The provider's content filter stopped the reply." };
}
