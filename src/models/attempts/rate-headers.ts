/** What a provider says is left of one of its limits. */
export interface Allowance {
  readonly remaining: number;
  /** Milliseconds until it is full again. */
  readonly resetMs: number;
}

/** What the headers of a response say of a key's limits. */
export interface RateNotice {
  readonly requests?: Allowance;
  readonly tokens?: Allowance;
}

// A header's word is advice: nobody is held up longer for it.
const longestAdviceMs = 60_000;

type Headers = Readonly<Record<string, unknown>>;

/**
 * Reads what a response says of the limits of its key: `x-ratelimit-*` (OpenAI and who follows it) and
 * `anthropic-ratelimit-*`; undefined when it says nothing. `now` is the wall time against which dates are read.
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

function allowance(remaining: unknown, reset: unknown, now: number): Allowance | undefined {
  if (typeof remaining !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(remaining)) return undefined;
  const resetMs = typeof reset === 'string' ? parseReset(reset.trim(), now) : undefined;
  if (resetMs === undefined) return undefined;
  return { remaining: Number(remaining), resetMs: Math.min(longestAdviceMs, Math.max(0, resetMs)) };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// Above this a bare number is a moment in seconds since 1970, and above the second one in milliseconds.
const leastEpochSeconds = 1e9;
const leastEpochMs = 1e12;

/** A moment or a time: `6m0s`, `20ms`, `1.5` (seconds), seconds or milliseconds since 1970, or a date. */
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
