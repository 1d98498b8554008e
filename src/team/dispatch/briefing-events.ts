import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { Labels } from '../../core/untrusted/taint.ts';
import type { Briefing } from '../handover/handover.ts';

/** The untrusted sources of the parameters that a call gives an agent, if they quote any. */
export function paramSources({ argsTaint }: TransitionContext): { readonly taint?: Labels } {
  return argsTaint === undefined ? {} : { taint: argsTaint };
}

/** Returns the events that give a briefing to an agent: the item, excluded from later handovers, and a note for each failed inheritance. */
export function briefingEvents(agentId: AgentId, briefing: Briefing, context: TransitionContext): readonly EventDraft[] {
  return [
    context.item(agentId, briefing.source, briefing.payload, { noHandover: true, taint: briefing.taint }),
    ...briefing.warnings.map((message): EventDraft => ({
      type: 'note.add',
      level: 'warning',
      code: 'CONDITION_FAILED',
      message,
      agentId,
    })),
  ];
}
