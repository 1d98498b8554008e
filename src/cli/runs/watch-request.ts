import type { PendingRequest } from '../../core/state/pending.ts';
import type { Run } from '../../engine/run.ts';

/** Watch on a pending request shown to a person. */
export interface RequestWatch extends Disposable {
  /** Aborted when the request is no longer pending, for any reason. */
  readonly gone: AbortSignal;
  /** Outcome of a request that is gone. */
  readonly outcome: string;
}

/** Watches for the end of a request, so that its prompt does not outlive it. */
export function watchRequest(run: Run, { id, callId }: PendingRequest): RequestWatch {
  const gone = new AbortController();
  let outcome = 'decided elsewhere';
  const check = (): void => {
    if (!run.pending.some((request) => request.id === id)) gone.abort();
  };
  const stop = run.subscribe({
    onEvents: (events) => {
      for (const event of events)
        if (event.type === 'tool.answer' && event.callId === callId && event.expired === true)
          outcome = `expired: ${event.verdict === 'approved' ? 'allowed' : 'denied'}`;
      check();
    },
    onHalt: () => gone.abort(),
  });
  check();
  return {
    gone: gone.signal,
    get outcome() {
      return outcome;
    },
    [Symbol.dispose]: stop,
  };
}
