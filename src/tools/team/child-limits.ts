import type { CompiledProfile } from '../../core/profile.ts';
import type { AgentState, RunState } from '../../core/state.ts';

/** Says why an agent may not start one more child besides `planned` others; undefined when it may. */
export function childLimitReason(
  run: RunState,
  agent: AgentState,
  profile: CompiledProfile | undefined,
  planned: number,
): string | undefined {
  const { maxDepth, maxChildren } = { ...run.limits, ...profile?.limits };
  const { agentId, depth } = agent.meta;
  if (depth + 1 > maxDepth)
    return `${agentId} is at depth ${depth} and agents may go ${maxDepth} deep (limit maxDepth); do the work without another agent`;
  if (agent.children.length + planned + 1 > maxChildren) {
    return `${agentId} has started ${agent.children.length + planned} agents and may start ${maxChildren} (limit maxChildren)`;
  }
  return undefined;
}
