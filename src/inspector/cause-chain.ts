import type { CadreEvent } from '../core/event.ts';
import { describeEvent } from './describe-event.ts';

/** Finds an event of the run by its sequence number. */
export type EventAt = (seq: number) => CadreEvent | undefined;

/** One step of a chain of causes. */
export interface CauseStep {
  readonly seq: number;
  readonly type: CadreEvent['type'];
  readonly at: number;
  readonly text: string;
  readonly agentId?: string;
  readonly turnId?: string;
  readonly callId?: string;
  readonly itemId?: string;
}

/**
 * Follows causes back from an event to what began it: something a user posted, or the start of the run. The newest
 * step comes first. A cause that does not lie before its effect ends the chain, so that it always ends.
 */
export function causeChain(eventAt: EventAt, seq: number): readonly CauseStep[] {
  const steps: CauseStep[] = [];
  let event = eventAt(seq);
  while (event !== undefined) {
    steps.push(toCauseStep(event));
    const cause: number | undefined = event.cause;
    event = cause === undefined || cause >= event.seq ? undefined : eventAt(cause);
  }
  return steps;
}

function toCauseStep(event: CadreEvent): CauseStep {
  return {
    seq: event.seq,
    type: event.type,
    at: event.at,
    text: describeEvent(event),
    ...('agentId' in event && event.agentId !== undefined ? { agentId: event.agentId } : {}),
    ...('turnId' in event && event.turnId !== undefined ? { turnId: event.turnId } : {}),
    ...('callId' in event && event.callId !== undefined ? { callId: event.callId } : {}),
    ...(event.type === 'inbox.add' ? { itemId: event.item.itemId } : {}),
  };
}
