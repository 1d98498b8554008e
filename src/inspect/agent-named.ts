import { CadreError } from '../core/error.ts';
import type { AgentId } from '../core/ids.ts';
import type { RunContext } from '../core/state/run-context.ts';

/** The agent of a name somebody gave, or the run's first one; one the run does not have is an error that names those it has. */
export function agentNamed(run: RunContext, name: string | undefined): AgentId {
  const ids = [...run.agents.keys()];
  const found = name === undefined ? (run.rootAgentId ?? ids[0]) : ids.find((id) => id === name);
  if (found === undefined) throw new CadreError('AGENT_UNKNOWN', `the run has no agent '${name ?? ''}'; it has ${ids.join(', ')}`);
  return found;
}
