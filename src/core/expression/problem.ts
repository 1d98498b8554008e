/** One problem of an expression or template, with UTF-16 offsets into its source. */
export interface ExpressionProblem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** Suggested replacement, when there is one. */
  readonly hint?: string;
}

/** The compiled value, or all problems in source order. */
export type CompileResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly ExpressionProblem[] };

/** Creates a failed result with its problems in source order. */
export function toFailure(problems: readonly ExpressionProblem[]): CompileResult<never> {
  return { ok: false, problems: problems.toSorted((left, right) => left.start - right.start || left.end - right.end) };
}
