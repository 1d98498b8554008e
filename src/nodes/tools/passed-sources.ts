import type { CallState } from '../../core/state/turn-state.ts';
import type { TransitionOutcome } from '../../core/tool/transition.ts';
import type { TurnContext } from '../../core/turn-context.ts';
import { saidBy } from '../../core/untrusted/scope-origins.ts';
import type { Labels } from '../../core/untrusted/taint.ts';

/** Returns the untrusted sources of what a result passes on: of the agents that the call waited for or quotes, and of state. */
export function passedSources(
  { run }: TurnContext,
  { waitFor }: CallState,
  { quotes = [], taint = [] }: Extract<TransitionOutcome, { kind: 'result' }>,
): Labels {
  const agents = waitFor?.kind === 'agents' ? [...waitFor.agentIds, ...quotes] : quotes;
  return agents.length === 0 ? taint : [...new Set([...taint, ...saidBy(run, agents)])];
}
