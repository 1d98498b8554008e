import { CadreError } from '../core/error.ts';
import type { AgentId } from '../core/ids.ts';
import type { RunContext } from '../core/state/run-context.ts';

/**
 * Returns the agent of the given name, or the run's first agent. Fails with an error that lists the run's agents when the name is
 * unknown.
 */
export function agentNamed(run: RunContext, name: string | undefined): AgentId {
  const ids = [...run.agents.keys()];
  const found = name === undefined ? (run.rootAgentId ?? ids[0]) : ids.find((id) => id === name);
  if (found === undefined) throw new CadreError('AGENT_UNKNOWN', `the run has no agent '${name ?? ''}'; it has ${ids.join(', ')}`);
  return found;
}
