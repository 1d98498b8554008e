import type { Env } from '../core/env.ts';
import type { AgentState, CallState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import { interruptTurn, lostCall } from '../nodes/interrupted-turn.ts';
import { endCall } from '../nodes/tool-end.ts';

/** Who takes a run up. */
export interface Resumption {
  readonly engineVersion: string;
}

/**
 * Takes up a run where its journal stands: model calls that were not answered are made again from the same recorded
 * input; running tools are repeated when their effect allows it and answered with OUTCOME_UNKNOWN when it does not (I5);
 * suspended calls stay suspended; what was due but not started is started. That it was taken up is its first event.
 */
export function recover(tx: Transaction, env: Env, by: Resumption): void {
  if (tx.run.outcome !== undefined) return;
  tx.emit({
    type: 'run.resume',
    engineVersion: by.engineVersion,
    downMs: Math.max(0, tx.at - tx.run.at),
  });
  for (const agent of tx.run.agents.values()) {
    if (agent.status === 'ended') continue;
    recoverTurn(tx, env, agent);
    for (const call of [...agent.openCalls.values()]) {
      if (call.status === 'running') recoverCall(tx, env, agent, call);
    }
    tx.touch(agent.meta.agentId);
  }
}

function recoverTurn(tx: Transaction, env: Env, agent: AgentState): void {
  const turn = agent.currentTurnId === undefined ? undefined : tx.run.turns.get(agent.currentTurnId);
  if (turn === undefined || turn.modelEnd !== undefined || turn.start.prompt === undefined) return;
  if (turn.interruptedBy !== undefined) {
    interruptTurn(tx, env, agent, turn, lostCall);
    return;
  }
  tx.effects.push({ kind: 'model', agentId: agent.meta.agentId, turnId: turn.turnId, cause: turn.start.seq });
}

function recoverCall(tx: Transaction, env: Env, agent: AgentState, call: CallState): void {
  const { turnId, name } = call.request;
  const agentId = agent.meta.agentId;
  const tool = env.catalog.get(name);
  if (tool?.effect === 'pure' || tool?.effect === 'idempotent') {
    const start = tx.emit(
      { type: 'tool.start', agentId, turnId, callId: call.callId, attempt: call.attempt + 1 },
      call.request.seq,
    );
    tx.effects.push({ kind: 'tool', agentId, turnId, callId: call.callId, pure: tool.effect === 'pure', cause: start.seq });
    return;
  }
  const message = `'${name}' was interrupted while it ran. It may or may not have happened: find out before you repeat it.`;
  endCall(tx, env, agent, call.callId, {
    status: 'unknown',
    content: JSON.stringify({ error: 'TOOL_OUTCOME_UNKNOWN', message }),
    error: { code: 'TOOL_OUTCOME_UNKNOWN', message },
  });
}
