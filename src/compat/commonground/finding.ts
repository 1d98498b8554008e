/**
 * What became of something: `changed` has another name here, or means another thing; `left_out` did nothing there or has no use here,
 * `not_converted` has to be written by hand.
 */
export type FindingKind = 'changed' | 'left_out' | 'not_converted';

/** Something an author should know about the conversion, at a place of the source. */
export interface Finding {
  readonly kind: FindingKind;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** Sorts findings by file and place. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return findings.toSorted((a, b) => order(a.file, b.file) || a.line - b.line || a.column - b.column);
}
