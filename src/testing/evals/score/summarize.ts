import type { EvalReport, EvalResult } from './eval-result.ts';
import { effectiveTrials, type Interval, wilson } from './statistics.ts';

/** Results of the runs of one case with one variant, or of all cases with it. */
export interface EvalCell {
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  /** Runs or checks that could not be made; they count as not passed. */
  readonly errors: number;
  readonly unfinished: number;
  /** Share of the finished runs that passed; undefined without any. */
  readonly passRate: number | undefined;
  /** 95 % confidence interval of the share. */
  readonly interval: Interval;
  readonly score: number;
  readonly turns: number;
  /** Mean US dollars of a run; null when the cost of some run is unknown. */
  readonly costUsd: number | null;
  /** Mean seconds of working time. */
  readonly seconds: number;
}

/** One variant: all of its runs, and those of each case. */
export interface VariantSummary {
  readonly variant: string;
  readonly all: EvalCell;
  readonly cases: readonly { readonly case: string; readonly cell: EvalCell }[];
}

/** Sums up results by variant and case. */
export function summarize({
  variants,
  cases,
  results,
}: Pick<EvalReport, 'variants' | 'cases' | 'results'>): readonly VariantSummary[] {
  return variants.map(({ name }) => {
    const own = results.filter(({ variant }) => variant === name);
    const byCase = cases.map((each) => own.filter((result) => result.case === each));
    return {
      variant: name,
      all: cellOf(byCase),
      cases: cases.map((each, index) => ({ case: each, cell: cellOf([byCase[index] ?? []]) })),
    };
  });
}

/** Sums up the runs of cases. The repeats of one case say less than as many different cases, and count accordingly in the interval. */
function cellOf(byCase: readonly (readonly EvalResult[])[]): EvalCell {
  const results = byCase.flat();
  const finished = results.filter(({ status }) => status !== 'unfinished');
  const count = (status: EvalResult['status']): number => results.filter((each) => each.status === status).length;
  const passed = count('passed');
  const passRate = finished.length === 0 ? undefined : passed / finished.length;
  const groups = byCase.map((own) =>
    own.filter(({ status }) => status !== 'unfinished').map(({ status }) => (status === 'passed' ? 1 : 0)),
  );
  const trials = byCase.length === 1 ? finished.length : effectiveTrials(groups);
  const mean = (read: (result: EvalResult) => number): number =>
    finished.length === 0 ? 0 : finished.reduce((sum, each) => sum + read(each), 0) / finished.length;
  return {
    runs: results.length,
    passed,
    failed: count('failed'),
    errors: count('error'),
    unfinished: count('unfinished'),
    passRate,
    interval: wilson(passRate ?? 0, passRate === undefined ? 0 : trials),
    score: mean(({ score }) => score),
    turns: mean(({ turns }) => turns),
    costUsd: finished.some(({ costUsd }) => costUsd === null) ? null : mean(({ costUsd }) => costUsd ?? 0),
    seconds: mean(({ seconds }) => seconds),
  };
}

/** True when enough of the runs passed, and none is unfinished. */
export function isPassed(report: Pick<EvalReport, 'results' | 'passRate'>): boolean {
  const passed = report.results.filter(({ status }) => status === 'passed').length;
  const isWhole = report.results.every(({ status }) => status !== 'unfinished');
  return isWhole && report.results.length > 0 && passed / report.results.length >= report.passRate - 1e-9;
}
