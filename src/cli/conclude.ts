import type { RunState } from '../core/state.ts';

/** What a run that has nothing more to do came to. */
export interface Conclusion {
  readonly ok: boolean;
  /** What the team has to say: the output of a run that ended, else the root agent's last reply. */
  readonly text: string;
  /** Why it failed; absent when it did not. */
  readonly problem?: string;
}

/** Reads the conclusion from a run's state: waiting for the user with a reply is as good an end as `completed`. */
export function concludeRun(run: RunState): Conclusion {
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  const reply = root?.lastReply ?? '';
  if (run.outcome === undefined) return { ok: true, text: reply };
  const text = run.output.trim() === '' ? reply : run.output;
  if (run.status === 'completed') return { ok: true, text };
  const reason = run.error === undefined ? '' : `: ${run.error.message}`;
  return { ok: false, text, problem: `the run ${run.status} (${run.outcome})${reason}` };
}
