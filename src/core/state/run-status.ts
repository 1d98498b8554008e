import type { RunContext } from './run-context.ts';

/** Status of a run for users and programs: `awaiting` while a person must decide or answer, `idle` while it waits for a message. */
export type RunStatus = RunContext['status'] | 'idle';

/** Returns the status that lists, the API and the page show; `run.state.status` is `awaiting` in both cases. */
export function statusOf({ status, pending }: Pick<RunContext, 'status' | 'pending'>): RunStatus {
  return status === 'awaiting' && pending === 0 ? 'idle' : status;
}
