import type { ModelAttempt, Usage } from '../../core/model/model.ts';
import { addUsage, useOf } from '../../core/model/usage.ts';
import type { TurnState } from '../../core/state/turn-state.ts';

/** Attempts of a turn's model call so far, and what they used; `cost` is undefined when unknown. */
export interface CallUse {
  readonly attempts: readonly ModelAttempt[];
  readonly usage: Usage;
  readonly cost?: number | undefined;
}

/** Returns what a turn's model call has used; undefined when it made none, and while nothing is known of it. */
export function callUse({ modelEnd, charged, end }: Pick<TurnState, 'modelEnd' | 'charged' | 'end'>): CallUse | undefined {
  if (modelEnd !== undefined) return modelEnd;
  const attempts = charged?.attempts ?? [];
  const estimate = charged?.isEstimateReplaced === true ? undefined : end?.estimate;
  const made = { ...useOf(attempts), attempts };
  if (estimate === undefined) return attempts.length === 0 ? undefined : made;
  const cost = made.cost === undefined || estimate.cost === undefined ? undefined : made.cost + estimate.cost;
  return { attempts, usage: addUsage(made.usage, estimate.usage), cost };
}
