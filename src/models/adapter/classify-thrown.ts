import { CadreError, describeThrown, type ErrorCode } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { brokenCallFailure, readBrokenCall } from './broken-call.ts';
import { lastingFailure, passingFailure, type ModelFailure } from '../attempts/model-failure.ts';
import { readRateNotice } from '../attempts/rate-headers.ts';
import { readThrownFacts, type ThrownFacts } from './thrown-facts.ts';
import { endSentence } from './broken-call.ts';

// Characters of an invalid response kept for the record (FAULTS M14).
const keptResponseChars = 500;

const passingCodes: ReadonlySet<ErrorCode> = new Set(['MODEL_BAD_RESPONSE', 'MODEL_UNAVAILABLE', 'MODEL_RATE_LIMITED']);

// AI SDK errors for an invalid response.
const responseErrors: ReadonlySet<string> = new Set([
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_NoContentGeneratedError',
]);

// AI SDK errors for a request that can never be sent.
const requestErrors: ReadonlySet<string> = new Set([
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

const contextTooLongWords =
  /context.?length|context.?window|prompt is too long|maximum context|input is too long|too many (?:input )?tokens|exceeds? .{0,40}tokens/;

// Bad gateway, unavailable, gateway timeout, proxy errors and overload. Not 500, which may concern this one prompt.
const outageStatuses: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524, 529]);

// An exhausted quota does not return within minutes.
const quotaWords = /insufficient.?quota|exceeded your current quota|billing|credit balance/;

const refusalWords = /content.?filter|content.?policy|responsible.?ai/;

/**
 * Classifies a thrown error or a stream error: its code, and whether a retry may help. `now` is the wall time for retry-after
 * dates; `failedGeneration` is the text a stream reports that the model wrote instead of a call. Never throws.
 */
export function classifyThrown(thrown: unknown, now = 0, failedGeneration?: string): ModelFailure {
  if (thrown instanceof CadreError) {
    const response = thrown.details['response'];
    const failure = {
      code: thrown.code,
      message: thrown.message,
      retryable: passingCodes.has(thrown.code) && thrown.details['isRecorded'] !== true,
    };
    return typeof response === 'string' ? { ...failure, details: { response } } : failure;
  }
  try {
    const facts = readThrownFacts(thrown);
    const brokenCall = readBrokenCall(facts, failedGeneration);
    if (brokenCall !== undefined) return withDetails(brokenCallFailure(brokenCall), facts, now);
    const failure = facts.statusCode === undefined ? classifyByKind(facts) : classifyByStatus(facts, facts.statusCode);
    return withDetails(failure, facts, now);
  } catch {
    return passingFailure('MODEL_UNAVAILABLE', `The model failed with an error that cannot be read: ${describeThrown(thrown)}`);
  }
}

function withDetails(failure: ModelFailure, facts: ThrownFacts, now: number): ModelFailure {
  const retryAfterMs = parseRetryAfter(facts.headers, now) ?? (facts.statusCode === 429 ? askedPause(facts, now) : undefined);
  const details: JsonObject = {
    ...(facts.statusCode !== undefined && { statusCode: facts.statusCode }),
    ...(facts.body !== '' && { response: facts.body.slice(0, keptResponseChars) }),
  };
  return {
    ...failure,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/**
 * Returns the pause that a rate limit error asks for outside retry-after: until used-up allowances reset, or Google's retryDelay.
 */
function askedPause({ headers, body }: ThrownFacts, now: number): number | undefined {
  const notice = readRateNotice(headers, now);
  const used = [notice?.requests, notice?.tokens].filter((allowance) => allowance?.remaining === 0);
  if (used.length > 0) return Math.max(...used.map((allowance) => allowance?.resetMs ?? 0));
  const [, seconds] = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

function classifyByStatus(facts: ThrownFacts, status: number): ModelFailure {
  const said = `The provider answered ${status}: ${endSentence(facts.message)}`;
  if (status === 429) return asOutage(passingFailure('MODEL_RATE_LIMITED', said), !quotaWords.test(facts.words));
  if (status === 408 || status === 409 || status === 424 || status >= 500)
    return asOutage(passingFailure('MODEL_UNAVAILABLE', said), outageStatuses.has(status));
  if (status < 300)
    return passingFailure('MODEL_BAD_RESPONSE', `The provider's answer cannot be read: ${endSentence(facts.message)}`);
  if (status === 413 || contextTooLongWords.test(facts.words)) return contextTooLong(said);
  if (refusalWords.test(facts.words)) return lastingFailure('MODEL_REFUSED', said);
  // Groq's code for a model's answer that is not the requested JSON.
  if (facts.code === 'json_validate_failed') return passingFailure('MODEL_BAD_RESPONSE', said);
  if (status === 404) return lastingFailure('MODEL_REJECTED', `${said} Check the model's name and the base URL.`);
  return lastingFailure('MODEL_REJECTED', said);
}

function classifyByKind(facts: ThrownFacts): ModelFailure {
  const { name, words } = facts;
  const message = endSentence(facts.message);
  if (facts.networkCode !== undefined) {
    return asOutage(passingFailure('MODEL_UNAVAILABLE', `The provider cannot be reached (${facts.networkCode}): ${message}`), true);
  }
  if (name === 'AI_LoadAPIKeyError' || name === 'AI_LoadSettingError') return lastingFailure('MODEL_UNCONFIGURED', message);
  if (responseErrors.has(name)) return passingFailure('MODEL_BAD_RESPONSE', `The provider's answer cannot be read: ${message}`);
  // Bedrock's stream, cut or damaged.
  if (/event-stream frame|message checksum|prelude checksum/.test(words))
    return passingFailure('MODEL_BAD_RESPONSE', `The provider's answer cannot be read: ${message}`);
  const said = `The model failed: ${message}`;
  if (/rate.?limit|too many requests/.test(words)) return passingFailure('MODEL_RATE_LIMITED', said);
  if (contextTooLongWords.test(words)) return contextTooLong(said);
  if (refusalWords.test(words)) return lastingFailure('MODEL_REFUSED', said);
  if (facts.isRetryable === false || requestErrors.has(name)) return lastingFailure('MODEL_REJECTED', said);
  if (/invalid_request|authentication|permission|not_found/.test(words)) return lastingFailure('MODEL_REJECTED', said);
  return passingFailure('MODEL_UNAVAILABLE', said);
}

function asOutage(failure: ModelFailure, isOutage: boolean): ModelFailure {
  return isOutage ? { ...failure, isOutage } : failure;
}

function contextTooLong(said: string): ModelFailure {
  return lastingFailure(
    'MODEL_CONTEXT_TOO_LONG',
    `${said} The prompt is longer than the model takes: set a window or truncation in the profile's context_policy, ` +
      'or use a model with a larger context.',
  );
}

/** Parses the wait a server asks for, in milliseconds from now; undefined when the headers name none. */
function parseRetryAfter(headers: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const milliseconds = toDuration(readHeader(headers, 'retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const value = readHeader(headers, 'retry-after');
  const seconds = toDuration(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readHeader(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && typeof value === 'string') return value.trim();
  }
  return undefined;
}

function toDuration(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}
