import { CadreError, describeThrown, type ErrorCode, leavesOutcomeUnknown } from '../../core/error.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import { isToolReturn, toolReturn, type ToolReturnFields } from '../../core/tool/tool-return.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import { toContentParts } from '../../tools/content-parts.ts';

/**
 * Outcomes of tools as JSON, for the way to another process. The outcome that arrives means the same to a decision: the same text, parts,
 * items and values, the same error. Only `update` of a tool return, a function, cannot travel.
 */
export function encodeOutcome({ returned, error, ...rest }: ToolOutcome, secrets: Secrets): JsonObject {
  const outcome = secrets.json(toWire(rest)) as JsonObject;
  if (rest.status !== 'ok') return { ...outcome, error: secrets.json(encodeError(error)) };
  if (isToolReturn(returned) && returned.update !== undefined)
    return { ...outcome, status: 'error', error: encodeError(new CadreError('TOOL_FAILED', cannotTravel)) };
  return { ...outcome, ...secrets.json(encodeReturned(returned)) };
}

const cannotTravel =
  "the tool ran, but its result was lost: 'update' of a tool return is a function, which cannot go from one worker to another; return 'values' instead";

/** Returns the outcome that `encodeOutcome` was given, as far as decisions read it. */
export function decodeOutcome({ returned, marked, error, ...rest }: JsonObject): ToolOutcome {
  const outcome = rest as unknown as ToolOutcome;
  if (outcome.status !== 'ok') return { ...outcome, error: decodeError(error as JsonObject) };
  return { ...outcome, returned: marked === true ? toolReturn(returned as unknown as ToolReturnFields) : returned };
}

function encodeReturned(returned: unknown): JsonObject {
  if (isToolReturn(returned)) {
    const { content, ...rest } = returned;
    return { marked: true, returned: { ...(toWire(rest) as JsonObject), content: partsOf(content) ?? toWire(content) } };
  }
  return { returned: partsOf(returned) ?? toWire(returned) };
}

/** Returns content parts, in which files are text; undefined for any other value. */
function partsOf(value: unknown): JsonValue | undefined {
  try {
    const { type, value: wrapped } = (value ?? {}) as Readonly<Record<string, unknown>>;
    return toContentParts(type === 'content' ? wrapped : value) as JsonValue | undefined;
  } catch {
    // Fields that throw when they are read: `toWire` describes the value.
    return undefined;
  }
}

function encodeError(thrown: unknown): JsonObject {
  if (!(thrown instanceof CadreError)) return { message: describeThrown(thrown) };
  return { code: thrown.code, message: thrown.message, ...(leavesOutcomeUnknown(thrown) ? { isUnknown: true } : {}) };
}

function decodeError({ code, message, isUnknown }: JsonObject): Error {
  if (typeof code !== 'string') return new Error(String(message));
  return new CadreError(code as ErrorCode, String(message), isUnknown === true ? { details: { outcome: 'unknown' } } : {});
}
