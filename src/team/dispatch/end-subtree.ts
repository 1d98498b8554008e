import type { EventDraft } from '../../core/events/event.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { settleAssignment, type Ending } from './settle-assignment.ts';

/**
 * Returns the events that cancel an agent and its descendants, deepest first (I9): each running agent ends as `cancelled`, and its
 * work modules leave `ongoing`.
 */
export function endSubtree(agent: SubContext, reason: string, context: TransitionContext): readonly EventDraft[] {
  const below = agent.children.flatMap((id) => {
    const child = context.run.agents.get(id);
    return child === undefined ? [] : endSubtree(child, reason, context);
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
  return [...below, end, ...settleAssignment(agent, ending, context)];
}
