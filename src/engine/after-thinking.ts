import type { Env } from '../core/env.ts';
import type { TurnId } from '../core/ids.ts';
import type { ModelOutcome } from '../core/model.ts';
import type { AgentState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import { profileOf } from '../nodes/agent-node.ts';
import { endAgent } from '../nodes/end-agent.ts';
import type { Action } from '../nodes/node.ts';
import { cancelCalls, requestCalls } from '../nodes/tool-request.ts';

/** Follows the action an agent's turn ended in: to its tools, to its next turn, to waiting, or to the end. */
export function afterThinking(tx: Transaction, env: Env, agent: AgentState, turnId: TurnId, action: Action, outcome: ModelOutcome): void {
  const agentId = agent.meta.agentId;
  if (outcome.kind === 'error') {
    const end = tx.emit({ type: 'turn.end', agentId, turnId, status: 'error', error: outcome.error });
    endAgent(tx, env, agent, { outcome: 'error', error: outcome.error }, end.seq);
    return;
  }
  const turn = tx.run.turns.get(turnId);
  const calls = turn?.modelEnd?.reply?.toolCalls ?? [];
  const decided = turn?.decide?.action;
  if (action === 'continue_with_tool') {
    const { finishReason } = outcome.reply;
    requestCalls(tx, env, agent, profileOf(env, agent), turnId, calls, { finishedCleanly: finishReason === 'stop' || finishReason === 'tool-calls' });
    return;
  }
  cancelCalls(tx, env, agent, turnId, calls, `not run: the flow went on with '${action}' instead`);
  if (action === 'call_tool' && decided?.call !== undefined) {
    requestCalls(tx, env, agent, profileOf(env, agent), turnId, [decided.call], { finishedCleanly: true });
    return;
  }
  const end = tx.emit({ type: 'turn.end', agentId, turnId, status: 'completed' });
  if (action === 'await_user_input' || action === 'await') {
    tx.emit({ type: 'agent.await', agentId, ...(decided?.on === undefined ? {} : { on: decided.on }) }, end.seq);
  } else if (action === 'end_agent_turn' || action === 'limit') {
    endAgent(
      tx,
      env,
      agent,
      {
        outcome: decided?.outcome ?? 'error',
        ...(decided?.output === undefined ? {} : { output: decided.output }),
        ...(decided?.error === undefined ? {} : { error: { code: action === 'limit' ? 'LIMIT_REACHED' : 'AGENT_FAILED', message: decided.error } }),
      },
      end.seq,
    );
  }
}
