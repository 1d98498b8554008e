import type { TurnId } from '../core/ids.ts';
import type { SubContext } from '../core/state/sub-context.ts';
import type { RunContext } from '../core/state/run-context.ts';

/** What a run that has nothing more to do came to. */
export interface Conclusion {
  readonly ok: boolean;
  /** What the team has to say: the output of a run that ended, else the root agent's last reply. */
  readonly text: string;
  /** Why it failed; absent when it did not. */
  readonly problem?: string;
  /** The turn it failed in; absent where it did not fail in a turn. */
  readonly failedTurnId?: TurnId;
}

/**
 * Reads the conclusion from the state of a run in which nothing is running: waiting for the user is as good an end as
 * `completed`; anything else that is no end is a standstill.
 */
export function concludeRun(run: RunContext): Conclusion {
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  const reply = root?.turn.lastReply ?? '';
  if (run.outcome === undefined) {
    if (root?.status !== 'awaiting_input') return { ok: false, text: reply, problem: stalled(root) };
    const failure = failureOf(run, root);
    return failure === undefined ? { ok: true, text: reply } : { ok: false, text: '', problem: failure, ...failedTurn(run, root) };
  }
  const text = run.output.trim() === '' ? reply : run.output;
  if (run.status === 'completed') return { ok: true, text };
  const reason = run.error === undefined ? '' : `: ${run.error.message}`;
  const problem = `the run ${run.status} (${run.outcome})${reason}`;
  return { ok: false, text, problem, ...(run.status === 'failed' ? failedTurn(run, root) : {}) };
}

/** The last turn of the root agent: a run ends with it, or waits because of it. */
function failedTurn(run: RunContext, root: SubContext | undefined): Pick<Conclusion, 'failedTurnId'> {
  const turnId = root?.turn.currentId ?? root?.turn.lastId;
  // An agent without a turn of its own names the turn it came from.
  const isOwn = turnId !== undefined && run.turns.get(turnId)?.agentId === root?.meta.agentId;
  return isOwn ? { failedTurnId: turnId } : {};
}

/** An agent that waits because its model failed has not answered, whatever it said before. */
function failureOf(run: RunContext, root: SubContext): string | undefined {
  if (root.counters.modelErrorStreak === 0 || root.turn.lastId === undefined) return undefined;
  const error = run.turns.get(root.turn.lastId)?.modelEnd?.error;
  return `the model call failed${error === undefined ? '' : `: ${error.message}`} The run waits: another message asks again.`;
}

function stalled(root: SubContext | undefined): string {
  if (root === undefined) return 'the run has no agent';
  const calls = [...root.calls.open.values()].map((call) => call.request.name);
  const waits = calls.length === 0 ? '' : ` (${calls.join(', ')})`;
  return `the run stands still: ${root.meta.agentId} is ${root.status}${waits}, and nothing is running that it could wait for`;
}
