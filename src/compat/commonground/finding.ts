/**
 * Kinds of findings: `changed` has another name or meaning in Cadre; `left_out` had no effect in the source or has no use in
 * Cadre; `not_converted` must be rewritten by hand.
 */
export type FindingKind = 'changed' | 'left_out' | 'not_converted';

/** Finding of a conversion that the author should know, at a place in the source. */
export interface Finding {
  readonly kind: FindingKind;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Recommended action. */
  readonly hint?: string;
}

/** Sorts findings by file and place. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return findings.toSorted((a, b) => order(a.file, b.file) || a.line - b.line || a.column - b.column);
}
