import type { RunSummary } from '../../../core/events/journal.ts';
import type { CostEstimate } from '../score/eval-result.ts';
import type { EvalSuite } from '../suite/eval-suite.ts';
import type { Attempts, EvalSession } from './eval-session.ts';
import { type PlannedRun, runIds } from './planned-run.ts';

/** Estimates what the runs that are left will cost, from earlier runs of the same cases: those of this round, and of the one before it. */
export async function estimateCost(
  session: EvalSession,
  suite: EvalSuite,
  known: { readonly planned: readonly PlannedRun[]; readonly found: readonly Attempts[]; readonly round: number },
): Promise<CostEstimate> {
  const { planned, found, round } = known;
  const before = round > 1 ? runIds(suite.name, round - 1) : undefined;
  const costs = new Map<string, number[]>();
  const add = (each: PlannedRun, summary: RunSummary | undefined): void => {
    if (summary?.cost === undefined || summary.cost === null || summary.outcome === undefined) return;
    for (const key of keysOf(each)) costs.set(key, [...(costs.get(key) ?? []), summary.cost]);
  };
  for (const [index, each] of planned.entries()) {
    add(each, found[index]?.latest?.summary);
    if (before !== undefined) add(each, (await session.engine.runs({ runId: before(each, 1) }))[0]);
  }
  const left = planned.filter((_, index) => found[index]?.latest === undefined);
  const means = left.map((each) => keysOf(each).flatMap((key) => meanOf(costs.get(key)) ?? [])[0]);
  const usable = means.filter((mean) => mean !== undefined);
  return {
    costUsd: usable.length === 0 ? (left.length === 0 ? 0 : null) : usable.reduce((sum, mean) => sum + mean, 0),
    known: usable.length,
    unknown: left.length - usable.length,
    atMostUsd: mostOf(suite, left),
  };
}

/** Keys under which costs are remembered, the closest first. */
function keysOf({ case: { name }, variant }: PlannedRun): readonly string[] {
  return [JSON.stringify([name, variant.name]), JSON.stringify([name])];
}

function meanOf(costs: readonly number[] | undefined): number | undefined {
  return costs === undefined || costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}

function mostOf({ budget }: EvalSuite, left: readonly PlannedRun[]): number | undefined {
  const limits = left.map(({ case: own, variant }) => own.limits.maxCostUsd ?? variant.limits.maxCostUsd);
  const sum = limits.every((limit) => limit !== undefined) ? limits.reduce((total, limit) => total + limit, 0) : undefined;
  if (budget.costUsd === undefined) return sum;
  return sum === undefined ? budget.costUsd : Math.min(sum, budget.costUsd);
}
