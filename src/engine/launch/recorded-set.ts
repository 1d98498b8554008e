import type { ProfileFile } from '../../core/profile/profile.ts';

/** What a run recorded of its profiles and tools. */
export interface RecordedSet {
  readonly files: readonly ProfileFile[];
  /** What code gave of tools, as it was recorded; undefined in journals of earlier versions. */
  readonly given: string | undefined;
}
