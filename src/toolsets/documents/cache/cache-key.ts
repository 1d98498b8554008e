import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { maxHitChars, maxTotalBytes, maxWalkDepth, maxWalkEntries, type DocumentLimits } from '../document-limits.ts';
import type { DocumentRoot } from '../walk-documents.ts';

/**
 * Version of what an index holds. Raise it with every change of reading, parsing, chunking or indexing that gives another index for the
 * same files: an index of another version is not used.
 */
export const indexFormat = 1;

/** Returns the name under which the index of a place is kept: another place, other limits or another way to read have another one. */
export function cacheKey({ folder, only }: DocumentRoot, limits: DocumentLimits): string {
  const { maxFileBytes, maxPdfBytes, maxFiles } = limits;
  const bounds = [maxFileBytes, maxPdfBytes, maxFiles, maxTotalBytes, maxWalkEntries, maxWalkDepth, maxHitChars];
  const readers = [process.versions['sqlite'], process.versions['unicode'], pdfReader()];
  const parts = [indexFormat, folder, only ?? null, bounds, readers];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** Returns which package reads PDFs, since its version decides about their text; undefined when none is installed. */
function pdfReader(): string | undefined {
  try {
    const file = fileURLToPath(import.meta.resolve('unpdf'));
    const { size, mtimeMs } = statSync(file);
    return `${file}:${size}:${mtimeMs}`;
  } catch {
    // Not installed: PDFs are left out.
    return undefined;
  }
}
