/** One line of a difference between two texts. */
export interface ChangedLine {
  readonly kind: 'same' | 'added' | 'removed' | 'gap' | 'note';
  /** The line without its line break; for a `gap`, the number of equal lines left out; for a `note`, words about the line before. */
  readonly text: string;
}

/** What a call would do to a file, compared with the file as it is now. */
export interface FileChange {
  /** Path as the tool resolves it, relative to the folder it works in. */
  readonly path: string;
  readonly kind: 'create' | 'replace' | 'edit' | 'delete' | 'move' | 'unchanged';
  /** For `move`: the new path. */
  readonly to?: string;
  /** The difference, line by line, all of it; empty when there is none to show. */
  readonly lines: readonly ChangedLine[];
  /** Reason why the call would fail, or why the difference is not shown; a person must know it. */
  readonly problem?: string;
}
