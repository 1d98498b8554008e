import type { EventDraft } from '../../core/event.ts';
import type { AgentState, RunState } from '../../core/state.ts';
import { settleAssignment, type Ending } from './settle-assignment.ts';

/**
 * The events that cancel an agent and everything below it, deepest first (I9): each agent that has not ended ends as
 * `cancelled`, and the work modules they were at leave `ongoing`.
 */
export function endSubtree(run: RunState, agent: AgentState, reason: string, at: number): readonly EventDraft[] {
  const below = agent.children.flatMap((id) => {
    const child = run.agents.get(id);
    return child === undefined ? [] : endSubtree(run, child, reason, at);
  });
  if (agent.status === 'ended') return below;
  const { agentId } = agent.meta;
  const ending: Ending = { outcome: 'cancelled', output: '', deliverables: agent.deliverables, error: reason };
  const end: EventDraft = {
    type: 'agent.end',
    agentId,
    outcome: 'cancelled',
    output: '',
    deliverables: agent.deliverables,
    error: { code: 'TOOL_CANCELLED', message: reason },
  };
  return [...below, end, ...settleAssignment(run, agent, ending, at)];
}
