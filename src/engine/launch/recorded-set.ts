import type { ProfileFile } from '../../core/profile/profile.ts';

/** Profiles and tools as a run recorded them. */
export interface RecordedSet {
  readonly files: readonly ProfileFile[];
  /** Tools that code gave, as recorded; undefined in journals of earlier versions. */
  readonly given: string | undefined;
}
