import { CadreError } from '../../core/error.ts';

/** Limits of a wait. */
export interface WaitLimits {
  readonly ms: number;
  /** Subject of the error: `Opening a tab` did not happen within … */
  readonly what: string;
  readonly signal?: AbortSignal;
}

/**
 * Waits for a page's work up to a time limit, since code inside a page may never answer.
 *
 * @throws CadreError `TOOL_FAILED` saying what did not happen; the signal's reason when it aborts
 */
export async function bounded<T>(work: Promise<T>, { ms, what, signal }: WaitLimits): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal?.reason as Error);
  const timer = setTimeout(() => reject(new CadreError('TOOL_FAILED', `${what} did not happen within ${ms / 1_000} s.`)), ms);
  signal?.addEventListener('abort', stop, { once: true });
  // Errors after the wait has ended are ignored.
  work.catch(() => undefined);
  try {
    signal?.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
