import type { Clock } from '../../../core/clock.ts';
import { CadreError } from '../../../core/error.ts';

/** What is waited for, how long, and what else ends the wait. */
export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Completes "the server …": `did not answer the handshake`. */
  readonly missed: string;
  readonly signal?: AbortSignal;
}

/** Runs `work` with a signal that aborts when its time is over or the outer signal does; rejects at once then, whatever `work` does. */
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
