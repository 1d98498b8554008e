import { callNames } from '../core/events/call-names.ts';
import type { TurnId } from '../core/ids.ts';
import type { SubContext } from '../core/state/sub-context.ts';
import { unknownOfRun } from '../core/state/unknown-calls.ts';
import type { RunContext } from '../core/state/run-context.ts';

/** Result of a run that has no more work. */
export interface Conclusion {
  readonly ok: boolean;
  /** Output of a run that ended, otherwise the root agent's last reply. */
  readonly text: string;
  /** Reason for the failure; absent on success. */
  readonly problem?: string;
  /** The turn the run failed in; absent when it did not fail in a turn. */
  readonly failedTurnId?: TurnId;
}

/**
 * Derives the conclusion from the state of an idle run. Waiting for the user counts as a success like `completed`; any other state
 * that is not an end is a stalled run.
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
  const unknown = unknownOfRun(run);
  const left = unknown.length === 0 ? '' : `. May have happened, find out before you repeat it: ${callNames(unknown)}`;
  const problem = `the run ${run.status} (${run.outcome})${reason}${left}`;
  return { ok: false, text, problem, ...(run.status === 'failed' ? failedTurn(run, root) : {}) };
}

/** Returns the last turn of the root agent, which the run ended with or waits for. */
function failedTurn(run: RunContext, root: SubContext | undefined): Pick<Conclusion, 'failedTurnId'> {
  const turnId = root?.turn.currentId ?? root?.turn.lastId;
  // An agent that has taken no turn names the turn that started it.
  const isOwn = turnId !== undefined && run.turns.get(turnId)?.agentId === root?.meta.agentId;
  return isOwn ? { failedTurnId: turnId } : {};
}

/** Returns the failure of an agent that waits because its model failed; earlier replies do not count as its answer. */
function failureOf(run: RunContext, root: SubContext): string | undefined {
  if (root.counters.modelErrorStreak === 0 || root.turn.lastId === undefined) return undefined;
  const error = run.turns.get(root.turn.lastId)?.modelEnd?.error;
  return `the model call failed${error === undefined ? '' : `: ${error.message}`} The run waits: another message asks again.`;
}

function stalled(root: SubContext | undefined): string {
  if (root === undefined) return 'the run has no agent';
  const calls = [...root.calls.open.values()].map((call) => call.request.name);
  const waits = calls.length === 0 ? '' : ` (${calls.join(', ')})`;
  return `the run is stalled: ${root.meta.agentId} is ${root.status}${waits}, and nothing is running that it could wait for`;
}
