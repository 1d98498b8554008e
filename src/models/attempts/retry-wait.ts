import type { Clock } from '../../core/clock.ts';
import type { RetryPolicy } from '../../core/model/llm-config.ts';
import type { AttemptEnd } from './attempt-end.ts';

/**
 * Chooses the wait before the next attempt, in whole milliseconds, never above `maxWaitMs`. `retry` counts from 0.
 * A server's own word is kept, plus up to a tenth of it so that callers told the same do not come back at once;
 * otherwise the wait is drawn from 0 up to `waitMs · 2^retry` (full jitter). `random` gives a number from 0 to 1.
 */
export function chooseWait(policy: RetryPolicy, retry: number, retryAfterMs: number | undefined, random: () => number): number {
  const spread = random();
  if (retryAfterMs !== undefined && retryAfterMs > 0)
    return Math.round(Math.min(policy.maxWaitMs, retryAfterMs * (1 + spread / 10)));
  return Math.round(spread * Math.min(policy.maxWaitMs, policy.waitMs * 2 ** retry));
}

/**
 * How often an attempt that ended like this may be repeated. A provider that is down costs nothing and comes back; an inner error
 * may be about this prompt, and a deadline, a cut stream or an answer that cannot be read may have cost money or many minutes.
 */
export function retriesAfter({ maxRetries, maxCostlyRetries = maxRetries }: RetryPolicy, end: AttemptEnd): number {
  return end.kind === 'failure' && end.failure.isOutage === true ? maxRetries : maxCostlyRetries;
}

/** Waits on the given clock; resolves early when the signal aborts. */
export function waitFor(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      cancelTimer();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancelTimer = clock.setTimer(ms, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}
