import type { ErrorCode, ErrorRecord } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelReply } from '../../core/model/model.ts';
import { defaultCooldownMs, defaultMaxQueueMs, type LlmConfig } from '../../core/model/llm-config.ts';
import { redactSecrets } from '../adapter/redact-secrets.ts';

/**
 * Tool call that a provider could not parse or rejected: Groq's `tool_use_failed`, Google's `MALFORMED_FUNCTION_CALL`, a failed
 * parser of a local server.
 */
export interface BrokenCall {
  /** The problem as the provider describes it. */
  readonly why: string;
  /** Text that the model wrote, as far as the provider reports it. */
  readonly written: string;
  /** The reply so far, including calls that the provider did parse. */
  readonly reply?: ModelReply;
}

/** Failure of one attempt, and whether another one may help. */
export interface ModelFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** The provider is down or overloaded for all callers, so waiting helps; nothing was answered or billed. */
  readonly isOutage?: true;
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs?: number;
  /** The rejected tool call, which can be answered to the model. */
  readonly brokenCall?: BrokenCall;
  /** Further facts for the record: status code, start of the response. */
  readonly details?: JsonObject;
}

/** Builds a failure that a retry may resolve. */
export function passingFailure(code: ErrorCode, message: string): ModelFailure {
  return { code, message, retryable: true };
}

/** Builds a failure that a retry would repeat. */
export function lastingFailure(code: ErrorCode, message: string): ModelFailure {
  return { code, message, retryable: false };
}

/** Converts a connection failure or unreadable response to a stream cut, for a reply that had begun. */
export function asStreamCut(failure: ModelFailure): ModelFailure {
  if (failure.code !== 'MODEL_UNAVAILABLE' && failure.code !== 'MODEL_BAD_RESPONSE') return failure;
  const { isOutage: _, ...rest } = failure;
  return { ...rest, code: 'MODEL_STREAM_CUT', message: `The stream broke in the middle of the reply. ${failure.message}` };
}

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

/**
 * Returns the error recorded for a reply that is no answer: an empty one (reasoning alone is none), or one that a filter stopped. A
 * reply cut by a limit is not empty.
 */
export function replyError({ finishReason, toolCalls, files, text }: ModelReply): ErrorRecord | undefined {
  switch (finishReason) {
    case 'stop':
    case 'tool-calls':
      if (toolCalls.length > 0 || (files !== undefined && files.length > 0) || text.trim() !== '') return undefined;
      return emptyReply;
    case 'content-filter':
      return { code: 'MODEL_REFUSED', message: "The provider's content filter stopped the reply." };
    case 'length':
    case 'other':
      return undefined;
  }
}

/** Error recorded for a reply without any content. */
export const emptyReply: ErrorRecord = {
  code: 'MODEL_EMPTY_REPLY',
  message: 'The model ended its reply without any text or tool call.',
};

/** Adds to an authentication failure the variable that was read and whether a key was sent. */
export function withKey(failure: ModelFailure, describeKey: () => string): ModelFailure {
  const status = failure.details?.['statusCode'];
  if (failure.code !== 'MODEL_REJECTED' || (status !== 401 && status !== 403)) return failure;
  return { ...failure, message: `${failure.message} ${describeKey()} Check the key and what it may be used for.` };
}

/** Removes secrets from a failure's message and details. */
export function redactFailure(failure: ModelFailure, secrets: readonly string[]): ModelFailure {
  const message = redactSecrets(failure.message, secrets);
  if (failure.details === undefined) return { ...failure, message };
  const details = Object.entries(failure.details).map(([key, value]) => [
    key,
    typeof value === 'string' ? redactSecrets(value, secrets) : value,
  ]);
  return { ...failure, message, details: Object.fromEntries(details) as JsonObject };
}

/** Returns the failure of a call that its rate limit would make wait too long; `dueMs` is the wait, if known. */
export function tooLate({ name, rateLimit }: LlmConfig, dueMs: number | undefined): ModelFailure {
  const when = dueMs === undefined ? 'could not start in time' : `could start in ${inSeconds(dueMs)}`;
  const limit = inSeconds(rateLimit?.maxWaitMs ?? defaultMaxQueueMs);
  return lastingFailure(
    'MODEL_RATE_LIMITED',
    `The rate limit of the LLM config "${name}", or of its provider, is used up: this call ${when}, and a call ` +
      `waits ${limit} at most (rate_limit.max_wait).`,
  );
}

/** Returns a time in whole seconds, for messages. */
export function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
