import type { RunContext } from '../../../core/state/run-context.ts';
import type { LimitOptions } from '../../../engine/limit-options.ts';
import type { EvalSuite } from '../suite/eval-suite.ts';

/** What runs have used. */
export interface Spent {
  /** US dollars known so far. */
  readonly costUsd: number;
  /** The cost of some model call is unknown. */
  readonly isCostUnknown: boolean;
  readonly tokens: number;
}

/** How much more than the whole budget a single run may cost by its own limit. */
const room = 1_000;

/**
 * Returns the limit of a run under a budget. Limits on money make a launch fail whose costs cannot be known, so that the budget can be held. It
 * is far above the budget: a run that reaches its own limit has failed, and one that the budget stops goes on with a larger one.
 */
export function budgetLimits({ costUsd }: EvalSuite['budget']): LimitOptions {
  return costUsd === undefined ? {} : { maxCostUsd: costUsd * room };
}

/** Adds up what the runs of an eval use, judges included, and says when its budget is used up. */
export class Spending {
  readonly #budget: EvalSuite['budget'];
  readonly #onExceeded: () => void;
  readonly #runs = new Map<string, Spent>();
  #total: Spent = { costUsd: 0, isCostUnknown: false, tokens: 0 };

  constructor(budget: EvalSuite['budget'], onExceeded: () => void) {
    this.#budget = budget;
    this.#onExceeded = onExceeded;
  }

  get total(): Spent {
    return this.#total;
  }

  /** Notes the use of a run so far, in place of what was noted before. */
  note(run: Pick<RunContext, 'meta' | 'usage'>): void {
    const { cost, costUnknown, inputTokens, outputTokens } = run.usage;
    this.add(run.meta.runId, { costUsd: cost, isCostUnknown: costUnknown, tokens: inputTokens + outputTokens });
  }

  add(runId: string, spent: Spent): void {
    const before = this.#runs.get(runId);
    this.#runs.set(runId, spent);
    this.#total = {
      costUsd: this.#total.costUsd + spent.costUsd - (before?.costUsd ?? 0),
      isCostUnknown: this.#total.isCostUnknown || spent.isCostUnknown,
      tokens: this.#total.tokens + spent.tokens - (before?.tokens ?? 0),
    };
    if (this.isExceeded) this.#onExceeded();
  }

  get isExceeded(): boolean {
    const { costUsd = Infinity, tokens = Infinity } = this.#budget;
    return this.#total.costUsd >= costUsd || this.#total.tokens >= tokens;
  }
}
