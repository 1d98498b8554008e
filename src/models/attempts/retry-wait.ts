import type { Clock } from '../../core/clock.ts';
import type { RetryPolicy } from '../../core/model/llm-config.ts';
import type { AttemptEnd } from './attempt-end.ts';

/**
 * Chooses the wait before the next attempt, in whole milliseconds, at most `maxWaitMs`. `retry` counts from 0. A server's own wait
 * is kept, plus up to a tenth as jitter; otherwise the wait is drawn from 0 up to `waitMs · 2^retry` (full jitter). `random`
 * returns a number from 0 to 1.
 */
export function chooseWait(
  policy: RetryPolicy,
  {
    retry,
    retryAfterMs,
    random,
  }: { readonly retry: number; readonly retryAfterMs: number | undefined; readonly random: () => number },
): number {
  const spread = random();
  if (retryAfterMs !== undefined && retryAfterMs > 0)
    return Math.round(Math.min(policy.maxWaitMs, retryAfterMs * (1 + spread / 10)));
  return Math.round(spread * Math.min(policy.maxWaitMs, policy.waitMs * 2 ** retry));
}

/**
 * Returns the number of retries after an attempt. An outage costs nothing and passes; an internal error may concern this prompt,
 * and a deadline, cut stream or unreadable answer may have cost money or many minutes.
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
