import { CadreError } from '../error.ts';
import type { AgentId } from '../ids.ts';
import type { RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';

/** Returns the agent of an id. Throws STORE_CORRUPT for an agent that the journal never started. */
export function agentOf(run: RunContext, agentId: AgentId): SubContext {
  const agent = run.agents.get(agentId);
  if (agent === undefined) {
    throw new CadreError(
      'STORE_CORRUPT',
      `run ${run.meta.runId}: event ${run.seq + 1} names agent ${agentId}, which was never started`,
    );
  }
  return agent;
}
