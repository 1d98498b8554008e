import type { CheckVerdict, CheckKind } from '../checks/eval-check.ts';
import type { Spent } from '../play/spending.ts';

/** A check that was made. */
export interface CheckResult extends CheckVerdict {
  readonly name: string;
  readonly kind: CheckKind | 'run';
  /** Place in the suite: `file:line:column`. */
  readonly at: string;
}

/** Result of one run of a case. */
export interface EvalResult {
  readonly case: string;
  readonly variant: string;
  readonly repeat: number;
  readonly runId: string;
  /** `error`: the run or a check of it could not be made; `unfinished`: the eval stopped before the run ended. */
  readonly status: 'passed' | 'failed' | 'error' | 'unfinished';
  /** Mean score of its checks, 0 to 1; 0 when it could not be made. */
  readonly score: number;
  readonly checks: readonly CheckResult[];
  readonly output: string;
  readonly turns: number;
  readonly tokens: number;
  /** US dollars; null when the cost of some call is unknown. */
  readonly costUsd: number | null;
  /** Seconds of working time. */
  readonly seconds: number;
  /** True when the run was found in the journal, and no model was called for it. */
  readonly isRecorded: boolean;
}

/** What was known before the eval began. */
export interface EvalPlan {
  readonly suite: string;
  readonly round: number;
  readonly runs: number;
  /** Runs that the journal has already. */
  readonly recorded: number;
  /** Estimated cost of those that are left, in US dollars. */
  readonly estimate: CostEstimate;
}

/** Estimate from earlier runs of the same cases. */
export interface CostEstimate {
  /** US dollars; null when no earlier run tells. */
  readonly costUsd: number | null;
  /** Runs to make whose case and variant, or at least case, was run before. */
  readonly known: number;
  readonly unknown: number;
  /** Most that the runs may cost by their limits and the budget; undefined without any. */
  readonly atMostUsd: number | undefined;
}

/** Report of an eval. */
export interface EvalReport {
  readonly suite: string;
  readonly file: string;
  readonly round: number;
  readonly variants: readonly {
    readonly name: string;
    readonly description: string | undefined;
    readonly isDeterministic: boolean;
  }[];
  readonly cases: readonly string[];
  readonly results: readonly EvalResult[];
  readonly spent: Spent;
  /** Why the eval stopped early. */
  readonly stopped: 'budget' | 'interrupted' | undefined;
  /** Share of the runs that must pass. */
  readonly passRate: number;
}
