import type { AgentState, Budget, RunState } from '../state.ts';

/** A budget nobody has used yet. */
export function newBudget(): Budget {
  return { tokens: 0, cost: 0, reservedTokens: 0, reservedCost: 0, live: 0, reserving: 0, agents: 0 };
}

/** The agent above, if there is one. */
export function parentOf(run: RunState, agent: AgentState): AgentState | undefined {
  const { parentAgentId } = agent.meta;
  return parentAgentId === undefined ? undefined : run.agents.get(parentAgentId);
}

/** Counts an agent that comes into being: in its own budget, in those of all agents above it, and in the run's. */
export function countAgent(run: RunState, agent: AgentState): void {
  run.budget.agents += 1;
  for (let above: AgentState | undefined = agent; above !== undefined; above = parentOf(run, above)) above.budget.agents += 1;
}

/** Counts an agent that goes to work (+1) or stops working (-1), being held back or having ended. */
export function countLive(run: RunState, agent: AgentState, by: 1 | -1): void {
  run.budget.live += by;
  for (let above: AgentState | undefined = agent; above !== undefined; above = parentOf(run, above)) above.budget.live += by;
}
