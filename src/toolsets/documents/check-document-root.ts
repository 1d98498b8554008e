import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CadreError } from '../../core/error.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document-limits.ts';
import type { DocumentStats } from './document-stats.ts';
import { describeLeftOut, LeftOutCount } from './left-out.ts';
import { showPath } from '../../files/inside-path.ts';
import { errorCode } from '../../files/error-code.ts';
import { isSystemFolder } from '../../files/open-folder.ts';
import { secretFiles } from '../../files/guard/secret-files.ts';
import { SourceReader } from './read-source.ts';
import { documentFormat, readableKinds } from './parse/document-endings.ts';
import { walkDocuments, type DocumentRoot, type SkippedFile } from './walk-documents.ts';

/**
 * Checks that a folder or a single file is searchable, and returns its real path.
 *
 * Stops at the first readable document, so it is cheap enough to call before every run.
 *
 * @throws CadreError `DOCS_UNREADABLE` when the root is missing, unreadable, or without a readable document
 */
export async function checkDocumentRoot(root: string, limits: DocumentLimits = defaultDocumentLimits): Promise<string> {
  const real = await resolveDocumentRoot(root);
  const skipped: SkippedFile[] = [];
  const leftOut = new LeftOutCount();
  const source = new SourceReader(real.folder, limits);
  const pdfs: string[] = [];
  const isReadable = async (file: string): Promise<boolean> => {
    const read = await source.read(file);
    if ('reason' in read) skipped.push({ file, reason: read.reason });
    return !('reason' in read);
  };
  for await (const step of walkDocuments(real)) {
    if ('kind' in step) {
      leftOut.add(step);
      continue;
    }
    if ('reason' in step) {
      skipped.push(step);
      continue;
    }
    if (documentFormat(step.file) === 'pdf') pdfs.push(step.file);
    else if (await isReadable(step.file)) return join(real.folder, real.only ?? '');
  }
  // Opening PDFs takes long, so they come last.
  for (const file of pdfs) if (await isReadable(file)) return join(real.folder, real.only ?? '');
  throw noDocuments(root, { skipped, leftOut: leftOut.kinds([]) });
}

/**
 * Returns the real path of the documents without reading them: a folder, or one file, which may have any ending when it is text.
 *
 * @throws CadreError `DOCS_UNREADABLE` when there is no such folder or file, or the file is hidden or usually holds secrets
 */
export async function resolveDocumentRoot(root: string): Promise<DocumentRoot> {
  if (root.trim() === '' || root.includes('\0')) throw unreadable(root, 'is not a path');
  let real: string;
  let isFolder: boolean;
  try {
    real = await realpath(resolve(root));
    const stats = await stat(real);
    isFolder = stats.isDirectory();
    if (!isFolder && !stats.isFile()) throw unreadable(root, 'is neither a folder nor a regular file');
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof CadreError) throw error;
    if (code === 'ENOENT') throw unreadable(root, 'does not exist', error);
    if (code === 'EACCES' || code === 'EPERM') throw unreadable(root, 'cannot be opened: permission is denied', error);
    throw unreadable(root, `cannot be opened (${code ?? String(error)})`, error);
  }
  if (isSystemFolder(real)) {
    throw unreadable(root, 'belongs to the system and holds no documents');
  }
  if (isFolder) return { folder: real };
  const only = basename(real);
  if (only.startsWith('.')) throw unreadable(root, 'is a hidden file');
  if (secretFiles.placeIn(real) !== undefined) throw unreadable(root, 'is where secrets are kept');
  return { folder: dirname(real), only };
}

/**
 * Returns the error for a place without searchable documents, with up to three of the skipped files and why, and the kinds that are not
 * read.
 */
export function noDocuments(root: string, { skipped, leftOut }: Pick<DocumentStats, 'skipped' | 'leftOut'>): CadreError {
  const examples = skipped.slice(0, 3).map(({ file, reason }) => `${showPath(file)}: ${reason}`);
  const more = skipped.length > examples.length ? `; and ${skipped.length - examples.length} more` : '';
  const passedOver = examples.length === 0 ? '' : ` Passed over: ${examples.join('; ')}${more}.`;
  const kinds = describeLeftOut(leftOut);
  const notRead = kinds === undefined ? '' : ` Files that are not read: ${kinds}.`;
  return unreadable(root, `holds no readable document.${passedOver}${notRead}`.replace(/\.$/, ''));
}

function unreadable(root: string, problem: string, cause?: unknown): CadreError {
  return new CadreError(
    'DOCS_UNREADABLE',
    `The documents folder ${showPath(root)} ${problem}. Allowed is a folder with files of these kinds, as UTF-8: ${readableKinds}; ` +
      'at any depth (hidden folders, node_modules and symbolic links are left out), or one file of text. Give such a folder or file.',
    { details: { root, problem }, ...(cause === undefined ? {} : { cause }) },
  );
}
