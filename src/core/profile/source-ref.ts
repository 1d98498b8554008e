/** A place in a YAML file; lines and columns start at 1. */
export interface SourceRef {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
