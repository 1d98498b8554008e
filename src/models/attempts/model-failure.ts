import type { ErrorCode } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelReply } from '../../core/model/model.ts';

/**
 * A call that a provider could not read, or would not take, before it came to be a call: Groq's `tool_use_failed`, Google's
 * `MALFORMED_FUNCTION_CALL`, a parser of a local server that failed.
 */
export interface BrokenCall {
  /** What the provider says is wrong. */
  readonly why: string;
  /** What the model wrote, as far as the provider tells. */
  readonly written: string;
  /** What had come of the reply, calls among it that the provider did read. */
  readonly reply?: ModelReply;
}

/** Why one attempt failed, and whether another one may help. */
export interface ModelFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** The provider is down or overloaded for everybody, so that waiting helps: nothing was answered, nothing is billed. */
  readonly isOutage?: true;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The provider did not take a call of the model, which can be told so. */
  readonly brokenCall?: BrokenCall;
  /** What else is known, for the record: status code, start of the response. */
  readonly details?: JsonObject;
}

/** Builds a failure that another attempt may heal. */
export function passingFailure(code: ErrorCode, message: string): ModelFailure {
  return { code, message, retryable: true };
}

/** Builds a failure that would only repeat itself. */
export function lastingFailure(code: ErrorCode, message: string): ModelFailure {
  return { code, message, retryable: false };
}

/** Renames the failure of a connection or an unreadable answer when part of the reply had come already: then it is a cut. */
export function asStreamCut(failure: ModelFailure): ModelFailure {
  if (failure.code !== 'MODEL_UNAVAILABLE' && failure.code !== 'MODEL_BAD_RESPONSE') return failure;
  const { isOutage: _, ...rest } = failure;
  return { ...rest, code: 'MODEL_STREAM_CUT', message: `The stream broke in the middle of the reply. ${failure.message}` };
}
