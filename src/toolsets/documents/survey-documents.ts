import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveDocumentRoot } from './check-document-root.ts';
import { binaryKind } from './parse/document-kinds.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document-limits.ts';
import { isNoText, LeftOutCount, type LeftOutKind } from './left-out.ts';
import { walkDocuments, type SkippedFile } from './walk-documents.ts';
import { readInside } from '../files/read-inside.ts';

/** Most files without an ending that are read to check whether they are text. */
const maxProbed = 500;

/**
 * Counts the files of a folder that will not be read, by kind, without reading documents: other kinds, too large ones, links, and files
 * without an ending that are not text.
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
  let documents = 0;
  let probed = 0;
  for await (const step of walkDocuments(real)) {
    if ('kind' in step) leftOut.add(step);
    else if ('reason' in step) skipped.push(step);
    else if (documents >= limits.maxFiles) skipped.push({ file: step.file, reason: `more than ${limits.maxFiles} documents` });
    else {
      const stats = await lstat(join(real.folder, step.file)).catch(() => undefined);
      const isPlain = 'plain' in step && probed < maxProbed;
      if (isPlain) probed += 1;
      if (stats !== undefined && stats.size > limits.maxFileBytes)
        skipped.push({ file: step.file, reason: `it is larger than ${limits.maxFileBytes} bytes` });
      else if (isPlain && (await isBinary(real.folder, step.file, limits.maxFileBytes))) leftOut.add({ kind: binaryKind });
      else documents += 1;
    }
  }
  return leftOut.kinds(skipped);
}

async function isBinary(folder: string, file: string, maxBytes: number): Promise<boolean> {
  const read = await readInside(folder, file, maxBytes);
  return 'reason' in read && isNoText(read.reason);
}
