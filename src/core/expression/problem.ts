/** One thing wrong with an expression or template, with UTF-16 offsets into its source. */
export interface ExpressionProblem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** What to write instead, when that is known. */
  readonly hint?: string;
}

/** Either the compiled value or every problem found, in source order. */
export type CompileResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly ExpressionProblem[] };

/** Builds a failed result with its problems in source order. */
export function toFailure(problems: readonly ExpressionProblem[]): CompileResult<never> {
  return { ok: false, problems: problems.toSorted((left, right) => left.start - right.start || left.end - right.end) };
}
