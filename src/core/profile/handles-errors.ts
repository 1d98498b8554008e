import type { Expression } from '../expression/expression.ts';

/**
 * True when an observer or a rule also handles failed model calls: its condition names `turn.error`. Others are skipped after a
 * failure, so that a condition written for replies never takes an error for an answer.
 */
export function handlesErrors(of: { readonly condition?: Expression }): boolean {
  return of.condition?.paths.some((path) => path === 'turn.error' || path.startsWith('turn.error.')) === true;
}
