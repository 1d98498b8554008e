import type { CostEstimate } from '../score/eval-result.ts';
import type { EvalSuite } from '../suite/eval-suite.ts';
import { evalProject, judgeTitle, runTitle, titleWithoutRepeat } from './eval-labels.ts';
import type { Attempts, EvalSession } from './eval-session.ts';
import type { PlannedRun } from './planned-run.ts';

/** Earlier runs of the project that are looked at, the newest first. */
const mostLooked = 5_000;

/**
 * Estimates what the runs that are left will cost, judges included: the mean of earlier runs of the same case and variant, whatever profiles they
 * had, else of the same case with any variant.
 */
export async function estimateCost(
  session: EvalSession,
  suite: EvalSuite,
  { planned, found }: { readonly planned: readonly PlannedRun[]; readonly found: readonly Attempts[] },
): Promise<CostEstimate> {
  const left = planned.filter((_, index) => found[index]?.latest === undefined);
  const costs = left.length === 0 ? new Map<string, readonly number[]>() : await earlierCosts(session, suite);
  const estimates = left.map((each) => estimateOf(each, suite, costs));
  const usable = estimates.filter((estimate) => estimate !== undefined);
  return {
    costUsd: usable.length === 0 ? (left.length === 0 ? 0 : null) : usable.reduce((sum, estimate) => sum + estimate, 0),
    known: usable.length,
    unknown: left.length - usable.length,
    atMostUsd: mostOf(suite, left),
  };
}

/** Returns the costs of earlier runs that are over, by their titles; a chat that waits for its user is over, too. */
async function earlierCosts({ engine }: EvalSession, suite: EvalSuite): Promise<ReadonlyMap<string, readonly number[]>> {
  const costs = new Map<string, number[]>();
  for (const { title, cost, outcome, status } of await engine.runs({ project: evalProject(suite), limit: mostLooked })) {
    if (cost === null || (outcome === undefined && status !== 'idle')) continue;
    const key = titleWithoutRepeat(title);
    costs.set(key, [...(costs.get(key) ?? []), cost]);
  }
  return costs;
}

function estimateOf(planned: PlannedRun, suite: EvalSuite, costs: ReadonlyMap<string, readonly number[]>): number | undefined {
  const titleFor = (variant: PlannedRun['variant']): string => titleWithoutRepeat(runTitle({ ...planned, variant }));
  const own = costs.get(titleFor(planned.variant)) ?? suite.variants.flatMap((variant) => costs.get(titleFor(variant)) ?? []);
  const run = meanOf(own);
  if (run === undefined) return undefined;
  const judges = planned.case.checks.filter(({ llm }) => llm !== undefined).length;
  return run + judges * (meanOf(costs.get(judgeTitle(planned.case)) ?? []) ?? 0);
}

function meanOf(costs: readonly number[]): number | undefined {
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}

function mostOf({ budget }: EvalSuite, left: readonly PlannedRun[]): number | undefined {
  const limits = left.map(({ case: own, variant }) => own.limits.maxCostUsd ?? variant.limits.maxCostUsd);
  const sum = limits.every((limit) => limit !== undefined) ? limits.reduce((total, limit) => total + limit, 0) : undefined;
  if (budget.costUsd === undefined) return sum;
  return sum === undefined ? budget.costUsd : Math.min(sum, budget.costUsd);
}
