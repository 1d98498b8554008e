import { TurnContext } from '../../core/turn-context.ts';
import type { Env } from '../../core/env.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { endAgent } from '../../nodes/turn/end-agent.ts';
import type { Input } from './input.ts';

/** Returns the agent a run was launched with. */
export function rootOf(tx: Transaction): SubContext | undefined {
  return tx.run.rootAgentId === undefined ? undefined : tx.run.agents.get(tx.run.rootAgentId);
}

/** Ends an agent, all agents that work on a module, or the root, and everything below. */
export function cancel(tx: Transaction, env: Env, { agentId, moduleId, reason }: Extract<Input, { kind: 'cancel' }>): void {
  const chosen = agentId === undefined ? rootOf(tx) : tx.run.agents.get(agentId);
  const agents = moduleId === undefined ? [chosen] : [...tx.run.agents.values()].filter(({ meta }) => meta.moduleId === moduleId);
  const error = { code: 'TOOL_CANCELLED' as const, message: reason };
  for (const agent of agents)
    if (agent !== undefined) endAgent(new TurnContext(tx, env, agent), { outcome: 'cancelled', error }, undefined);
}
