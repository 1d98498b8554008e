/** What the documents toolset reads at most; everything beyond is skipped with a reason, never cut in silence. */
export interface DocumentLimits {
  /** Largest file, in bytes. */
  readonly maxFileBytes: number;
  /** Most files in the index. */
  readonly maxFiles: number;
}

/** The limits when none are given: files of 2 MB, 20,000 of them. */
export const defaultDocumentLimits: DocumentLimits = { maxFileBytes: 2_000_000, maxFiles: 20_000 };

/** All indexed text together, in bytes: the index lives in memory, so a folder of any size must not fill it. */
export const maxTotalBytes = 256_000_000;

/** Most directory entries the walk looks at, documents or not. */
export const maxWalkEntries = 500_000;

/** Deepest folder the walk enters, counted from the root. */
export const maxWalkDepth = 64;

/** Longest text of one search hit, in characters. */
export const maxHitChars = 700;

/** Longest text of one passage, in characters. */
export const maxPassageChars = 400;

/** Longest query that is read, in characters; the rest of a longer one is left out and said so. */
export const maxQueryChars = 2_000;

/** Most search words taken from one query. */
export const maxQueryTerms = 24;
