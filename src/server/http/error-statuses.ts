import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ErrorCode, CadreError, toErrorRecord } from '../../core/error.ts';
import type { Context } from 'hono';

/**
 * HTTP status of every error code. 4xx: the request, or the status of the run, is the reason. 5xx: the server is. Codes of notes and
 * turn records never answer a request on purpose, so they are 500.
 */
export const errorStatuses: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  REQUEST_INVALID: 400,
  OPTION_INVALID: 400,
  RECORDING_INVALID: 400,
  BUNDLE_INVALID: 400,
  REQUEST_UNAUTHORIZED: 401,
  REQUEST_REFUSED: 403,
  PATH_REFUSED: 403,
  URL_REFUSED: 403,
  FOLDER_UNTRUSTED: 403,
  RUN_UNKNOWN: 404,
  TURN_UNKNOWN: 404,
  AGENT_UNKNOWN: 404,
  MODULE_UNKNOWN: 404,
  PENDING_UNKNOWN: 404,
  ROUTE_UNKNOWN: 404,
  RUN_ENDED: 409,
  AGENT_ENDED: 409,
  RUN_LOCKED: 409,
  RUN_DELETED: 409,
  RUN_EXISTS: 409,
  REQUEST_CONFLICT: 409,
  RUN_IMPORTED: 409,
  APPROVAL_CHANGED: 409,
  STORE_CONFLICT: 409,
  TOOL_MISSING: 409,
  REQUEST_TOO_LARGE: 413,
  PROFILE_INVALID: 422,
  PROFILE_UNKNOWN: 422,
  PROFILE_DISABLED: 422,
  MODEL_UNKNOWN: 422,
  MODEL_UNCONFIGURED: 422,
  MODEL_UNPRICED: 422,
  TOOL_ARGUMENTS_INVALID: 422,
  TOOL_DENIED: 422,
  DEPENDENCY_MISSING: 501,
  ENGINE_CLOSED: 503,
  STORE_CORRUPT: 500,
  STORE_NEWER: 500,
  STORE_FAILED: 500,
  SERVER_BUSY: 503,
  RUNTIME_FAILED: 503,
  WORKER_LACKS: 500,
  TOOL_REPEATED: 500,
  INTERNAL: 500,
  PROFILES_CHANGED: 500,
  FORK_EDITED: 500,
  ITEM_SOURCE_RESERVED: 500,
  TOOLS_CHANGED: 500,
  TOOL_INVALID: 500,
  TOOLSET_FAILED: 500,
  TOOLSETS_CHANGED: 409,
  TOOL_UNKNOWN: 500,
  TOOL_EXPIRED: 500,
  TOOL_FAILED: 500,
  TOOL_TIMEOUT: 500,
  TOOL_ARGUMENTS_TRUNCATED: 500,
  TOOL_NOT_STARTED: 500,
  TOOL_OUTCOME_UNKNOWN: 500,
  TOOL_CANCELLED: 500,
  TOOL_EXCLUSIVE: 500,
  MCP_UNAVAILABLE: 500,
  MCP_DISCONNECTED: 500,
  MODEL_RATE_LIMITED: 500,
  MODEL_UNAVAILABLE: 500,
  MODEL_REJECTED: 500,
  MODEL_CONTEXT_TOO_LONG: 500,
  MODEL_COOLING: 500,
  MODEL_OUTAGE: 500,
  MODEL_TIMEOUT: 500,
  MODEL_BAD_RESPONSE: 500,
  MODEL_STREAM_CUT: 500,
  MODEL_CALL_BROKEN: 500,
  MODEL_EMPTY_REPLY: 500,
  MODEL_OUTPUT_TOO_LARGE: 500,
  MODEL_REFUSED: 500,
  MODEL_ABORTED: 500,
  MODEL_INTERRUPTED: 500,
  COMPACTION_FAILED: 500,
  OBSERVER_FAILED: 500,
  INGESTOR_FAILED: 500,
  CONDITION_FAILED: 500,
  SUBSCRIBER_FAILED: 500,
  EVENT_LOOP_BLOCKED: 500,
  STORE_WAITED: 500,
  SEGMENT_FAILED: 500,
  INBOX_SOURCE_UNKNOWN: 500,
  ITEM_POISONED: 500,
  AGENT_FAILED: 500,
  PLAN_FAILED: 500,
  LIMIT_REACHED: 500,
  STAGNATION: 500,
  DOCS_UNREADABLE: 500,
  REPLAY_MISMATCH: 500,
  OUTPUT_INVALID: 500,
  SANDBOX_UNAVAILABLE: 500,
};

/** Returns the status for a code; 500 for an unknown code, which another process may send. */
function statusOf(code: ErrorCode): ContentfulStatusCode {
  return Object.hasOwn(errorStatuses, code) ? errorStatuses[code] : 500;
}

/** Body of every error answer. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: Readonly<Record<string, unknown>> };
}

/** True for chat requests that do not ask for JSON: clients of the AI SDK show the body of an error to people as it is. */
function isForChat({ req }: Context): boolean {
  return req.path.startsWith('/api/chat') && !/\bapplication\/json\b/i.test(req.header('accept') ?? '');
}

/** Answers with an error. A given status overrides that of the error's code. */
export function answerError(context: Context, thrown: unknown, status?: ContentfulStatusCode): Response {
  const record = toErrorRecord(thrown, 'INTERNAL');
  const details = thrown instanceof CadreError ? thrown.details : {};
  const body: ErrorAnswer = { error: Object.keys(details).length === 0 ? record : { ...record, details } };
  const answered = status ?? statusOf(record.code);
  if (!isForChat(context)) return context.json(body, answered);
  context.header('X-Error-Code', record.code);
  return context.text(record.message, answered);
}
