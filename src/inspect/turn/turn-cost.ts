import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';

/** Whether the cost of some call of a run is unknown. */
export interface CostKnowledge {
  readonly usage: Pick<RunContext['usage'], 'costUnknown'>;
}

/**
 * What the model call of a turn cost, in US dollars; null when unknown, undefined when it made none. A call that failed before
 * its first token counts as 0, since it is not billed; in a run whose cost is unknown that 0 would claim to know a price.
 */
export function turnCost({ usage: run }: CostKnowledge, turn: Pick<TurnState, 'modelEnd'> | undefined): number | null | undefined {
  const modelEnd = turn?.modelEnd;
  if (modelEnd === undefined) return undefined;
  const { cost, error, attempts, usage } = modelEnd;
  const isUncounted = error !== undefined && attempts.length > 0 && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) === 0;
  return cost === undefined || (cost === 0 && isUncounted && run.costUnknown) ? null : cost;
}
