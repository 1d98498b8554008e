import { TurnContext } from '../../core/turn-context.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { AgentAwait } from '../../core/events/agent-events.ts';
import type { Writable } from '../../core/json.ts';
import type { AgentEnding } from '../../core/events/tool-parts.ts';
import type { DecidedAction } from '../../core/events/turn-parts.ts';
import { agentFlow } from '../../nodes/turn/agent-flow.ts';
import { endAgent } from '../../nodes/turn/end-agent.ts';
import { requeueInputs } from '../../nodes/turn/interrupted-turn.ts';
import type { Action } from '../../nodes/turn/node.ts';
import { cancelCalls, requestCalls } from '../../nodes/tools/request-calls.ts';

/** Carries out the action that an agent's turn ended in: run tools, take another turn, wait, or end. */
export function takeNextStep(context: TurnContext, turnId: TurnId, action: Action): void {
  const { tx, agent } = context;
  const step = agentFlow.next('agent', action);
  if (action === 'interrupted') return;
  if (step === 'tool') {
    goToTools(context, turnId);
    return;
  }
  const agentId = agent.meta.agentId;
  const turn = tx.run.turns.get(turnId);
  const error = turn?.modelEnd?.error;
  cancelCalls(context, turnId, turn?.modelEnd?.reply?.toolCalls ?? [], `not run: the flow went on with '${action}' instead`);
  const end =
    error === undefined
      ? tx.emit({ type: 'turn.end', agentId, turnId, status: 'completed' })
      : tx.emit({ type: 'turn.end', agentId, turnId, status: 'error', error });
  // A failed model has read nothing: items meant for this turn only are kept for the next one.
  if (step === 'agent' && error !== undefined && turn !== undefined) requeueInputs(context, turn, end.seq);
  if (step === 'wait') {
    const wait: Writable<AgentAwait> = { type: 'agent.await', agentId };
    const on = turn?.decide?.action.on;
    if (on !== undefined) wait.on = on;
    tx.emit(wait, end.seq);
  } else if (step === 'end') {
    endAgent(context, endingOf(agent, turn?.decide?.action, error), end.seq);
  }
}

/** Runs the reply's calls, or instead the one call that a rule decided on. */
function goToTools(context: TurnContext, turnId: TurnId): void {
  const { tx } = context;
  const turn = tx.run.turns.get(turnId);
  const made = turn?.modelEnd?.reply?.toolCalls ?? [];
  const forced = turn?.decide?.action.call;
  const finishReason = turn?.modelEnd?.reply?.finishReason;
  if (forced === undefined) {
    requestCalls(context, turnId, made, {
      finishedCleanly: finishReason === 'stop' || finishReason === 'tool-calls',
    });
    return;
  }
  cancelCalls(context, turnId, made, `not run: a rule called '${forced.name}' instead`);
  requestCalls(context, turnId, [forced], { finishedCleanly: true });
}

function endingOf(agent: SubContext, decided: DecidedAction | undefined, error: ErrorRecord | undefined): AgentEnding {
  if (error?.code === 'LIMIT_REACHED') return { outcome: 'limit', error };
  // An agent whose last turn fails still ends because of the limit, with what it has said so far.
  if (error !== undefined && agent.limits.stage === 'last_turn') {
    const message = `${agent.limits.reason ?? 'a limit is reached'}; its last turn failed (${error.code}): ${error.message}`;
    return { outcome: 'limit', error: { code: 'LIMIT_REACHED', message } };
  }
  const ending: Writable<AgentEnding> = { outcome: decided?.outcome ?? 'error' };
  if (decided?.output !== undefined) ending.output = decided.output;
  if (error !== undefined) {
    if (ending.outcome !== 'success') ending.error = { code: error.code, message: decided?.error ?? error.message };
    return ending;
  }
  if (decided?.error !== undefined)
    ending.error = { code: decided.code ?? (decided.type === 'limit' ? 'LIMIT_REACHED' : 'AGENT_FAILED'), message: decided.error };
  return ending;
}
