import type { ErrorCode } from '../core/error.ts';
import type { JsonObject } from '../core/json.ts';

/** Why one attempt failed, and whether another one may help. */
export interface ModelFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** The provider is down or overloaded for everybody, so that waiting helps: nothing was answered, nothing is billed. */
  readonly isOutage?: true;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
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
