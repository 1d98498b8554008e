/** Error codes of the engine, one line each in docs/errors.md. */
export type ErrorCode =
  | 'PROFILE_INVALID'
  | 'PROFILE_UNKNOWN'
  | 'PROFILE_DISABLED'
  | 'PROFILES_CHANGED'
  | 'FORK_EDITED'
  | 'ITEM_SOURCE_RESERVED'
  | 'TOOLS_CHANGED'
  | 'OPTION_INVALID'
  | 'TOOL_INVALID'
  | 'TOOLSET_FAILED'
  | 'TOOLSETS_CHANGED'
  | 'TOOL_UNKNOWN'
  | 'TOOL_MISSING'
  | 'TOOL_DENIED'
  | 'TOOL_EXPIRED'
  | 'TOOL_FAILED'
  | 'TOOL_TIMEOUT'
  | 'TOOL_ARGUMENTS_INVALID'
  | 'TOOL_ARGUMENTS_TRUNCATED'
  | 'TOOL_NOT_STARTED'
  | 'TOOL_OUTCOME_UNKNOWN'
  | 'TOOL_CANCELLED'
  | 'TOOL_REPEATED'
  | 'TOOL_EXCLUSIVE'
  | 'MCP_UNAVAILABLE'
  | 'MCP_DISCONNECTED'
  | 'MODEL_UNCONFIGURED'
  | 'MODEL_UNPRICED'
  | 'MODEL_UNKNOWN'
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_REJECTED'
  | 'MODEL_CONTEXT_TOO_LONG'
  | 'MODEL_COOLING'
  | 'MODEL_OUTAGE'
  | 'MODEL_TIMEOUT'
  | 'MODEL_BAD_RESPONSE'
  | 'MODEL_STREAM_CUT'
  | 'MODEL_CALL_BROKEN'
  | 'MODEL_EMPTY_REPLY'
  | 'MODEL_OUTPUT_TOO_LARGE'
  | 'MODEL_REFUSED'
  | 'MODEL_ABORTED'
  | 'MODEL_INTERRUPTED'
  | 'COMPACTION_FAILED'
  | 'OBSERVER_FAILED'
  | 'INGESTOR_FAILED'
  | 'CONDITION_FAILED'
  | 'SUBSCRIBER_FAILED'
  | 'EVENT_LOOP_BLOCKED'
  | 'STORE_WAITED'
  | 'SEGMENT_FAILED'
  | 'INBOX_SOURCE_UNKNOWN'
  | 'ITEM_POISONED'
  | 'AGENT_UNKNOWN'
  | 'AGENT_ENDED'
  | 'AGENT_FAILED'
  | 'MODULE_UNKNOWN'
  | 'LIMIT_REACHED'
  | 'STAGNATION'
  | 'RUN_UNKNOWN'
  | 'TURN_UNKNOWN'
  | 'RUN_ENDED'
  | 'RUN_LOCKED'
  | 'RUN_DELETED'
  | 'RUN_EXISTS'
  | 'REQUEST_CONFLICT'
  | 'RUN_IMPORTED'
  | 'PENDING_UNKNOWN'
  | 'APPROVAL_CHANGED'
  | 'FOLDER_UNTRUSTED'
  | 'STORE_CONFLICT'
  | 'STORE_CORRUPT'
  | 'STORE_NEWER'
  | 'STORE_FAILED'
  | 'SERVER_BUSY'
  | 'RUNTIME_FAILED'
  | 'WORKER_LACKS'
  | 'ENGINE_CLOSED'
  | 'REQUEST_INVALID'
  | 'REQUEST_REFUSED'
  | 'REQUEST_UNAUTHORIZED'
  | 'REQUEST_TOO_LARGE'
  | 'ROUTE_UNKNOWN'
  | 'DEPENDENCY_MISSING'
  | 'DOCS_UNREADABLE'
  | 'PATH_REFUSED'
  | 'URL_REFUSED'
  | 'RECORDING_INVALID'
  | 'BUNDLE_INVALID'
  | 'REPLAY_MISMATCH'
  | 'OUTPUT_INVALID'
  | 'PLAN_FAILED'
  | 'SANDBOX_UNAVAILABLE'
  | 'INTERNAL';

/** The one error class of the engine: a stable code, a message that says what to do, and plain details. */
export class CadreError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CadreError';
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** An error as plain data, in events and turn records. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Converts any thrown value to a record; never throws itself. */
export function toErrorRecord(thrown: unknown, fallback: ErrorCode): ErrorRecord {
  return isCadreError(thrown)
    ? { code: thrown.code, message: typeof thrown.message === 'string' ? thrown.message : describeThrown(thrown) }
    : { code: fallback, message: describeThrown(thrown) };
}

/** True when a tool threw `details: { outcome: 'unknown' }`: it cannot determine if its call took effect. */
export function leavesOutcomeUnknown(thrown: unknown): boolean {
  return isCadreError(thrown) && thrown.details['outcome'] === 'unknown';
}

function isCadreError(thrown: unknown): thrown is CadreError {
  try {
    return thrown instanceof CadreError;
  } catch {
    // A proxy with throwing traps: not an error of this engine.
    return false;
  }
}

/** Describes any thrown value in one capped line of text; never throws itself. */
export function describeThrown(thrown: unknown): string {
  try {
    // The message of a foreign error may have any type.
    const text = String(
      thrown instanceof Error ? (thrown.name === 'Error' ? thrown.message : `${thrown.name}: ${thrown.message}`) : thrown,
    );
    return text.length > 2000 ? `${text.slice(0, 2000)}… (${text.length} characters)` : text;
  } catch {
    return 'a value that cannot be described was thrown';
  }
}
