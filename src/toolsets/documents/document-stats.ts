import type { LeftOutKind } from './left-out.ts';
import type { SkippedFile } from './walk-documents.ts';

/** Size of the index, and the files skipped. */
export interface DocumentStats {
  readonly files: number;
  /** Searchable chunks. */
  readonly sections: number;
  readonly skipped: readonly SkippedFile[];
  /** Number of unread files by kind, including the skipped ones. */
  readonly leftOut: readonly LeftOutKind[];
}
