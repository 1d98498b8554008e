import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { Briefing } from '../handover/handover.ts';

/** The events that hand a briefing to an agent: the item, which is never handed on, and a note for each thing that could not be inherited. */
export function briefingEvents(agentId: AgentId, briefing: Briefing, context: TransitionContext): readonly EventDraft[] {
  return [
    context.item(agentId, briefing.source, briefing.payload, { noHandover: true }),
    ...briefing.warnings.map((message): EventDraft => ({
      type: 'note.add',
      level: 'warning',
      code: 'CONDITION_FAILED',
      message,
      agentId,
    })),
  ];
}
