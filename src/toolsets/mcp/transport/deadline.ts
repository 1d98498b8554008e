import type { Clock } from '../../../core/clock.ts';
import { CadreError } from '../../../core/error.ts';

/** Time limit and outer signal of a wait. */
export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Completion of "the server …": `did not answer the handshake`. */
  readonly missed: string;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` with a signal that aborts at its time limit or with the outer signal; rejects immediately then, even if `work` ignores the
 * signal.
 */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, ms, missed, signal } = deadline;
  const abort = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown): void => {
    reject(reason);
    abort.abort(reason);
  };
  const cancelTimer = clock.setTimer(ms, () => stop(new CadreError('MCP_UNAVAILABLE', `it ${missed} within ${ms / 1000} s`)));
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    return await Promise.race([work(abort.signal), promise]);
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}
