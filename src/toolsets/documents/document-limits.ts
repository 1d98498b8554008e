/** Limits on reading documents; everything beyond is skipped with a reason, never cut silently. */
export interface DocumentLimits {
  /** Largest file, in bytes. */
  readonly maxFileBytes: number;
  /** Largest PDF, in bytes. */
  readonly maxPdfBytes: number;
  /** Most files in the index. */
  readonly maxFiles: number;
}

/** Default limits: 20,000 files of up to 2 MB, PDFs of up to 20 MB. */
export const defaultDocumentLimits: DocumentLimits = { maxFileBytes: 2_000_000, maxPdfBytes: 20_000_000, maxFiles: 20_000 };

/** Most indexed text in total, in bytes: the index is in memory, which a large folder must not fill. */
export const maxTotalBytes = 256_000_000;

/** Most directory entries the walk visits, documents or not. */
export const maxWalkEntries = 500_000;

/** Deepest folder the walk enters, counted from the root. */
export const maxWalkDepth = 64;

/** Longest text of one search hit, in characters. */
export const maxHitChars = 700;

/** Longest text of one passage, in characters. */
export const maxPassageChars = 400;

/** Longest query, in characters; the rest of a longer one is dropped, and a note reports it. */
export const maxQueryChars = 2_000;

/** Most search words taken from one query. */
export const maxQueryTerms = 24;
