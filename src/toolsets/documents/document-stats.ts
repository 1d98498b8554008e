import type { LeftOutKind } from './left-out.ts';
import type { SkippedFile } from './walk-documents.ts';

/** How much is in the index, and what was passed over. */
export interface DocumentStats {
  readonly files: number;
  /** Chunks that can be found. */
  readonly sections: number;
  readonly skipped: readonly SkippedFile[];
  /** How many files are not read, by kind; those that were passed over are among them. */
  readonly leftOut: readonly LeftOutKind[];
}
