import type { TurnReserve } from '../events/turn-parts.ts';
import type { ModelAttempt } from '../model/model.ts';
import type { Use } from '../model/usage.ts';

/** Tokens and US dollars used by a run or an agent; `costUnknown` is set when some call had no price. */
export interface RunUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  reasoningTokens: number;
  modelCalls: number;
  cost: number;
  costUnknown: boolean;
}

/** Use by the whole run, or by one agent and all agents below it, including reservations for model calls in flight. */
export interface Budget {
  /** Tokens and US dollars of finished model calls. */
  tokens: number;
  cost: number;
  /** Upper bound for the model calls in flight. */
  reservedTokens: number;
  reservedCost: number;
  /** Agents at work: neither held nor ended. */
  live: number;
  /** Live agents whose model call in flight holds a reservation. */
  reserving: number;
  /** Agents ever started. */
  agents: number;
}

/** A model call under way, or over without an outcome, whose attempts were charged one by one. */
export interface ChargedCall {
  /** Attempts charged so far. */
  readonly attempts: readonly ModelAttempt[];
  /** Use charged to the budgets so far. */
  readonly tokens: number;
  readonly cost: number;
  /** Upper bound of the attempt under way; undefined when none is. */
  readonly reserve: TurnReserve | undefined;
  /** Counted in place of the attempts of a call that is over without an outcome, until they are known. */
  readonly estimate?: Use;
}

/** Use by all agents that ever worked on a work module. */
export interface ModuleBudget extends Budget {
  turns: number;
  toolCalls: number;
  /** Milliseconds that agents worked on it in earlier attempts, and the start of the current attempt, in working time of the run. */
  activeMs: number;
  workingSince: number | undefined;
}

/** Cost in US dollars as every surface shows it: null, never 0, when the cost of any call is unknown. */
export interface ShownCost {
  readonly cost: number | null;
  /** The known part: a lower bound. */
  readonly costAtLeast: number;
  readonly costUnknown: boolean;
}

/** Returns the cost of a usage for display; `cost` of the usage is its known part. */
export function shownCost({ cost, costUnknown }: Pick<RunUsage, 'cost' | 'costUnknown'>): ShownCost {
  return { cost: costUnknown ? null : cost, costAtLeast: cost, costUnknown };
}
