import type { Run } from '../run.ts';

/** Cancels a run when the signal of its launch is aborted. The signal may outlive the run: no listener stays on it. */
export function cancelOnAbort(run: Run, signal: AbortSignal): void {
  // A run that can no longer be cancelled has halted, and its result says why.
  const cancel = (): void => void run.cancel('the launch signal was aborted').catch(() => undefined);
  const forget = (): void => signal.removeEventListener('abort', cancel);
  signal.addEventListener('abort', cancel, { once: true });
  void run.result.then(forget, forget);
  // Aborted while the lease was taken: the cancel waits behind the start.
  if (signal.aborted) queueMicrotask(cancel);
}
