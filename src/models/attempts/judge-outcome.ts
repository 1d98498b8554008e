import type { ErrorRecord } from '../../core/error.ts';
import { defaultCooldownMs, type LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelReply } from '../../core/model/model.ts';
import type { ModelFailure } from './model-failure.ts';

/** Tells whether a failure says something of the config, and not of this one prompt or this one call. */
export function isOfConfig({ code, details }: ModelFailure): boolean {
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

// Answers that are about the key or the model: every other call would get them, too.
const configStatuses: ReadonlySet<unknown> = new Set([401, 402, 403, 404]);

/** How long a config that failed is left alone, in milliseconds: as long as it says, or as the server asks, up to the longest wait. */
export function cooldownOf({ cooldownMs = defaultCooldownMs, retry }: LlmConfig, { retryAfterMs = 0 }: ModelFailure): number {
  return cooldownMs === 0 ? 0 : Math.max(cooldownMs, Math.min(retryAfterMs, retry.maxWaitMs));
}

/** Tells whether a failure ends the call: an abort must not be answered by another model, and a refusal not be shopped around. */
export function isFinal(failure: ModelFailure): boolean {
  return failure.code === 'MODEL_ABORTED' || failure.code === 'MODEL_REFUSED';
}

/** Tells whether a reply is nothing a caller could use: thinking alone is no answer. A reply that hit a limit or a filter says so itself. */
export function isEmpty(reply: ModelReply): boolean {
  const ended = reply.finishReason === 'stop' || reply.finishReason === 'tool-calls';
  return ended && reply.toolCalls.length === 0 && (reply.files?.length ?? 0) === 0 && reply.text.trim() === '';
}

/** What the record says of a reply that is no answer. */
export function replyError(reply: ModelReply, empty: boolean): ErrorRecord | undefined {
  if (empty) return { code: 'MODEL_EMPTY_REPLY', message: 'The model ended its reply without any text or tool call.' };
  if (reply.finishReason !== 'content-filter') return undefined;
  return { code: 'MODEL_REFUSED', message: "The provider's content filter stopped the reply." };
}
