import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { CadreError, type ErrorCode, toErrorRecord } from '../../core/error.ts';

/** The statuses of errors that are not a fault of the server; everything else is 500. */
const statuses: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  REQUEST_INVALID: 400,
  OPTION_INVALID: 400,
  PROFILE_INVALID: 400,
  PROFILE_UNKNOWN: 400,
  PROFILE_DISABLED: 400,
  MODEL_UNKNOWN: 400,
  MODEL_UNCONFIGURED: 400,
  TOOL_ARGUMENTS_INVALID: 400,
  PATH_REFUSED: 400,
  REQUEST_UNAUTHORIZED: 401,
  REQUEST_REFUSED: 403,
  RUN_UNKNOWN: 404,
  TURN_UNKNOWN: 404,
  AGENT_UNKNOWN: 404,
  MODULE_UNKNOWN: 404,
  PENDING_UNKNOWN: 404,
  ROUTE_UNKNOWN: 404,
  RUN_ENDED: 409,
  AGENT_ENDED: 409,
  RUN_LOCKED: 409,
  REQUEST_TOO_LARGE: 413,
  DEPENDENCY_MISSING: 501,
  ENGINE_CLOSED: 503,
};

/** The body of every answer that is an error. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: Readonly<Record<string, unknown>> };
}

/** Answers with an error. A status given with it goes before that of its code. */
export function answerError(context: Context, thrown: unknown, status?: ContentfulStatusCode): Response {
  const record = toErrorRecord(thrown, 'INTERNAL');
  const details = thrown instanceof CadreError ? thrown.details : {};
  const body: ErrorAnswer = { error: Object.keys(details).length === 0 ? record : { ...record, details } };
  return context.json(body, status ?? statuses[record.code] ?? 500);
}
