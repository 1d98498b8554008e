/** Tokens and money of a run or an agent; `costUnknown` when some call had no price. */
export interface RunUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  reasoningTokens: number;
  modelCalls: number;
  cost: number;
  costUnknown: boolean;
}

/** What one agent with all below it, or the whole run, has used, and what of it is under way. */
export interface Budget {
  /** Tokens and US dollars of model calls that have ended. */
  tokens: number;
  cost: number;
  /** What model calls in flight may use at most. */
  reservedTokens: number;
  reservedCost: number;
  /** Agents at work: neither held back nor ended. */
  live: number;
  /** Those of them whose model call in flight holds a reservation. */
  reserving: number;
  /** Agents ever started. */
  agents: number;
}

/** What all agents that were ever at a work module have used of it. */
export interface ModuleBudget extends Budget {
  turns: number;
  toolCalls: number;
  /** Milliseconds agents worked on it in earlier attempts, and since when one does now, in working time of the run. */
  activeMs: number;
  workingSince: number | undefined;
}

/** Money as every surface shows it: US dollars; null, never 0, as soon as some call's cost is unknown. */
export interface ShownCost {
  readonly cost: number | null;
  /** The part that is known: what it has cost at least. */
  readonly costAtLeast: number;
  readonly costUnknown: boolean;
}

/** The cost of a usage for a surface; `cost` of the usage is its known part. */
export function shownCost({ cost, costUnknown }: Pick<RunUsage, 'cost' | 'costUnknown'>): ShownCost {
  return { cost: costUnknown ? null : cost, costAtLeast: cost, costUnknown };
}
