import type { CadreEvent } from '../../core/events/event.ts';
import { describeEvent } from '../../core/events/event.ts';

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
 * Follows causes from an event back to its origin: a user's message, or the start of the run. The newest step comes first. Stops at
 * a cause that does not precede its effect, so it always ends.
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

/** Number of steps shown of a long chain, at the newest and at the oldest end. */
export const shownCauses = { newest: 5, oldest: 2 } as const;

/** A chain shortened for display: a long one lacks the `leftOut` steps between its newest and its oldest. */
export interface ShortChain {
  readonly causes: readonly CauseStep[];
  readonly leftOut: number;
}

/** Follows causes as `causeChain` does, but reads only the events that are shown. */
export function shortCauseChain(eventAt: EventAt, causeOf: (seq: number) => number | undefined, seq: number): ShortChain {
  const { newest, oldest } = shownCauses;
  const seqs: number[] = [];
  for (let at: number | undefined = seq; at !== undefined && at > 0;) {
    seqs.push(at);
    const cause = causeOf(at);
    at = cause === undefined || cause >= at ? undefined : cause;
  }
  const leftOut = seqs.length > newest + oldest + 1 ? seqs.length - newest - oldest : 0;
  if (leftOut > 0) seqs.splice(newest, leftOut);
  return { causes: seqs.flatMap((at) => eventAt(at) ?? []).map(toCauseStep), leftOut };
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
