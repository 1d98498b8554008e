/** Remaining part of one of a key's limits, as the provider reports it. */
export interface RateState {
  readonly remaining: number;
  /** Milliseconds until the limit resets. */
  readonly resetMs: number;
}

/** Limits of a key as the headers of a response report them. */
export interface RateNotice {
  readonly requests?: RateState;
  readonly tokens?: RateState;
}

// Longest wait that a header can cause.
const longestAdviceMs = 60_000;

type Headers = Readonly<Record<string, unknown>>;

/**
 * Reads the limits of a key from response headers: `x-ratelimit-*` (OpenAI and compatible servers) and `anthropic-ratelimit-*`;
 * undefined without any. `now` is the wall time against which dates are read.
 */
export function readRateNotice(headers: Headers, now: number): RateNotice | undefined {
  let says = false;
  for (const name in headers) if (name.includes('ratelimit')) says = true;
  if (!says) return undefined;
  const requests =
    allowance(headers['x-ratelimit-remaining-requests'], headers['x-ratelimit-reset-requests'], now) ??
    allowance(headers['anthropic-ratelimit-requests-remaining'], headers['anthropic-ratelimit-requests-reset'], now) ??
    allowance(headers['x-ratelimit-remaining'], headers['x-ratelimit-reset'], now);
  const tokens =
    allowance(headers['x-ratelimit-remaining-tokens'], headers['x-ratelimit-reset-tokens'], now) ??
    allowance(headers['anthropic-ratelimit-tokens-remaining'], headers['anthropic-ratelimit-tokens-reset'], now) ??
    allowance(headers['anthropic-ratelimit-input-tokens-remaining'], headers['anthropic-ratelimit-input-tokens-reset'], now);
  if (requests === undefined && tokens === undefined) return undefined;
  return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) };
}

function allowance(remaining: unknown, reset: unknown, now: number): RateState | undefined {
  if (typeof remaining !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(remaining)) return undefined;
  const resetMs = typeof reset === 'string' ? parseReset(reset.trim(), now) : undefined;
  if (resetMs === undefined) return undefined;
  return { remaining: Number(remaining), resetMs: Math.min(longestAdviceMs, Math.max(0, resetMs)) };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// A bare number above this is a time in seconds since 1970, above the second value in milliseconds.
const leastEpochSeconds = 1e9;
const leastEpochMs = 1e12;

/**
 * Parses a duration or time into milliseconds from now: `6m0s`, `20ms`, `1.5` (seconds), seconds or milliseconds since 1970, or a
 * date.
 */
function parseReset(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) {
    const value = Number(text);
    if (value >= leastEpochMs) return value - now;
    return value >= leastEpochSeconds ? value * 1_000 - now : value * 1_000;
  }
  if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) {
    let ms = 0;
    for (const [, value, unit] of text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
      ms += Number(value) * (unitMs[unit ?? ''] ?? 0);
    return ms;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}
