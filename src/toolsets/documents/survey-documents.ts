import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveDocumentRoot } from './check-document-root.ts';
import { binaryKind } from './parse/document-kinds.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document-limits.ts';
import { isNoText, LeftOutCount, type LeftOutKind } from './left-out.ts';
import { walkDocuments, type SkippedFile } from './walk-documents.ts';
import { maxBytesOf, mayBeUnreadable, SourceReader } from './read-source.ts';

/** Most files that are read to check whether they are text, minified, or no PDF. */
const maxProbed = 1_000;

/**
 * Counts the files of a folder that will not be read, by kind, without reading documents: other kinds, too large ones, links, and files
 * without an ending that are not text, and generated files. A PDF that looks like one is not opened, so an encrypted or scanned one is not counted.
 *
 * @throws CadreError `DOCS_UNREADABLE` when there is no such folder or file
 */
export async function surveyDocuments(
  root: string,
  limits: DocumentLimits = defaultDocumentLimits,
): Promise<readonly LeftOutKind[]> {
  const real = await resolveDocumentRoot(root);
  const leftOut = new LeftOutCount();
  const skipped: SkippedFile[] = [];
  const source = new SourceReader(real.folder, limits);
  let documents = 0;
  let probed = 0;
  for await (const step of walkDocuments(real)) {
    if ('kind' in step) leftOut.add(step);
    else if ('reason' in step) skipped.push(step);
    else if (documents >= limits.maxFiles) skipped.push({ file: step.file, reason: `more than ${limits.maxFiles} documents` });
    else {
      const stats = await lstat(join(real.folder, step.file)).catch(() => undefined);
      const isPlain = 'plain' in step;
      const isProbed = probed < maxProbed && (isPlain || mayBeUnreadable(step.file, stats?.size ?? 0));
      if (isProbed) probed += 1;
      if (stats !== undefined && stats.size > maxBytesOf(step.file, limits))
        skipped.push({ file: step.file, reason: `it is larger than ${maxBytesOf(step.file, limits)} bytes` });
      else {
        const reason = isProbed ? await source.problemOf(step.file) : undefined;
        if (reason === undefined) documents += 1;
        else if (isPlain && isNoText(reason)) leftOut.add({ kind: binaryKind });
        else skipped.push({ file: step.file, reason });
      }
    }
  }
  return leftOut.kinds(skipped);
}
