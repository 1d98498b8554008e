import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { parentOf } from '../../core/fold/budget.ts';

/** The profile type of the agent that plans and dispatches. */
export const principalType = 'principal';

/** Returns the principal started last, ended or not; undefined when there is none, or when it is the asking agent or its ancestor. */
export function findPrincipal(run: RunContext, asking: SubContext): SubContext | undefined {
  const id = run.latestOfType.get(principalType);
  for (let agent: SubContext | undefined = asking; agent !== undefined; agent = parentOf(run, agent)) {
    if (agent.meta.agentId === id) return undefined;
  }
  return id === undefined ? undefined : run.agents.get(id);
}
