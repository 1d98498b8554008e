import { CadreError } from '../core/error.ts';
import type { AgentId } from '../core/ids.ts';
import type { SubContext } from '../core/state/sub-context.ts';
import type { RunContext } from '../core/state/run-context.ts';

/** The agent an observer speaks to; an ended or missing one is an error of the observer. */
export function targetOf(run: RunContext, agent: SubContext, target: string): AgentId {
  const id = resolveTarget(run, agent, target);
  const found = id === undefined ? undefined : run.agents.get(id);
  if (found === undefined)
    throw new CadreError(
      'AGENT_UNKNOWN',
      `target_agent_id '${target}' names no agent of this run; allowed: self, parent, partner, principal, or one of ${[...run.agents.keys()].join(', ')}`,
    );
  if (found.status === 'ended')
    throw new CadreError('AGENT_ENDED', `target_agent_id '${target}' (${found.meta.agentId}) has ended`);
  return found.meta.agentId;
}

function resolveTarget(run: RunContext, agent: SubContext, target: string): AgentId | undefined {
  switch (target) {
    case 'self':
      return agent.meta.agentId;
    case 'parent':
      return agent.meta.parentAgentId;
    case 'partner':
    case 'principal':
      return run.latestOfType.get(target);
    default:
      return target as AgentId;
  }
}
