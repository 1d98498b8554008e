import { isAsking } from '../../core/state/is-asking.ts';
import type { Run } from '../../engine/run.ts';

/**
 * True when an agent, by default the first one, asks a person itself (at a checkpoint, or in an escalation): any message lets
 * it go on, so that a message is a verdict then.
 */
export function isAskingItself({ state }: Pick<Run, 'state'>, agentId: string | undefined = state.rootAgentId): boolean {
  const agent = [...state.agents.values()].find(({ meta }) => meta.agentId === agentId);
  return agent !== undefined && agent.turn.question !== undefined && isAsking(agent);
}
