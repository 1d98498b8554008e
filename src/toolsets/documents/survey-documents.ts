import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveDocumentRoot } from './check-document-root.ts';
import { binaryKind } from './parse/document-kinds.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document-limits.ts';
import { isNoText, LeftOutCount, type LeftOutKind } from './left-out.ts';
import { walkDocuments, type DocumentRoot, type SkippedFile } from './walk-documents.ts';
import { readAhead } from './search/read-ahead.ts';
import { maxBytesOf, mayBeUnreadable, SourceReader } from './read-source.ts';

/** Most files that are read to check whether they are text, minified, or no PDF. */
const maxProbed = 1_000;
const filesAtOnce = 8;

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
  const found: FoundFile[] = [];
  for await (const step of walkDocuments(real)) {
    if ('kind' in step) leftOut.add(step);
    else if ('reason' in step) skipped.push(step);
    else found.push(step);
  }
  let documents = 0;
  const probes = chooseProbes(await sizesOf(real, found));
  const source = new SourceReader(real.folder, limits);
  for await (const [probe, reason] of readAhead(probes, filesAtOnce, (each) => problemOf(source, each, limits))) {
    const { file, isPlain } = probe;
    if (documents >= limits.maxFiles) skipped.push({ file, reason: `more than ${limits.maxFiles} documents` });
    else if (reason === undefined) documents += 1;
    else if (isPlain && isNoText(reason)) leftOut.add({ kind: binaryKind });
    else skipped.push({ file, reason });
  }
  return leftOut.kinds(skipped);
}

interface FoundFile {
  readonly file: string;
  readonly plain?: true;
}

/** A file as the survey looks at it: by its size, and by reading it when `isProbed`. */
interface Probe {
  readonly file: string;
  readonly size: number | undefined;
  readonly isPlain: boolean;
  readonly isProbed: boolean;
}

async function sizesOf(root: DocumentRoot, found: readonly FoundFile[]): Promise<(FoundFile & Pick<Probe, 'size'>)[]> {
  const sized: (FoundFile & Pick<Probe, 'size'>)[] = [];
  const look = async ({ file }: FoundFile): Promise<number | undefined> =>
    (await lstat(join(root.folder, file)).catch(() => undefined))?.size;
  for await (const [file, size] of readAhead(found, filesAtOnce, look)) sized.push({ ...file, size });
  return sized;
}

function chooseProbes(files: readonly (FoundFile & Pick<Probe, 'size'>)[]): readonly Probe[] {
  let probed = 0;
  return files.map(({ file, plain, size }) => {
    const isPlain = plain === true;
    const isProbed = probed < maxProbed && (isPlain || mayBeUnreadable(file, size ?? 0));
    if (isProbed) probed += 1;
    return { file, size, isPlain, isProbed };
  });
}

async function problemOf(
  source: SourceReader,
  { file, size, isProbed }: Probe,
  limits: DocumentLimits,
): Promise<string | undefined> {
  if (size !== undefined && size > maxBytesOf(file, limits)) return `it is larger than ${maxBytesOf(file, limits)} bytes`;
  return isProbed ? await source.problemOf(file) : undefined;
}
