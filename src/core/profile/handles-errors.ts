import type { Expression } from '../expression/expression.ts';

/**
 * Tells whether an observer or a rule is meant for failed model calls, too: its condition names `turn.error`. Those that do not
 * are not asked about one, so that what was written for replies never takes an error for an answer.
 */
export function handlesErrors(of: { readonly condition?: Expression }): boolean {
  return of.condition?.paths.some((path) => path === 'turn.error' || path.startsWith('turn.error.')) === true;
}
