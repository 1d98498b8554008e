import type { ErrorCode } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelReply } from '../../core/model/model.ts';

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
