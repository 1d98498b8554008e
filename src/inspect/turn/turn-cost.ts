import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { callUse } from './call-use.ts';

/** The part of a run's usage that shows whether some call has an unknown cost. */
export interface CostKnowledge {
  readonly usage: Pick<RunContext['usage'], 'costUnknown'>;
}

/**
 * Returns the cost of a turn's model call in US dollars; null when unknown, undefined without a call. A call that failed before its
 * first token is not billed and counts as 0, but as unknown in a run whose prices are unknown.
 */
export function turnCost(
  { usage: run }: CostKnowledge,
  turn: Pick<TurnState, 'modelEnd' | 'charged' | 'end'> | undefined,
): number | null | undefined {
  const call = turn === undefined ? undefined : callUse(turn);
  if (turn === undefined || call === undefined) return undefined;
  const { cost, attempts, usage } = call;
  const hasFailed = turn.modelEnd?.reply === undefined;
  const isUncounted = hasFailed && attempts.length > 0 && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) === 0;
  return cost === undefined || (cost === 0 && isUncounted && run.costUnknown) ? null : cost;
}
