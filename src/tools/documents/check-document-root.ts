import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CadreError } from '../../core/error.ts';
import { defaultDocumentLimits } from './document-limits.ts';
import { showPath } from '../files/inside-path.ts';
import { errorCode } from '../files/error-code.ts';
import { isSystemFolder } from '../files/open-folder.ts';
import { readInside } from '../files/read-inside.ts';
import { documentEndings, walkDocuments, type SkippedFile } from './walk-documents.ts';

/**
 * Makes sure that a folder can be searched, and returns its real path.
 *
 * Stops at the first document that can be read, so it is cheap enough to call before every run.
 *
 * @throws CadreError `DOCS_UNREADABLE` when the root is missing, not a folder, unreadable, or without a readable document
 */
export async function checkDocumentRoot(root: string, maxFileBytes: number = defaultDocumentLimits.maxFileBytes): Promise<string> {
  const real = await resolveDocumentRoot(root);
  const skipped: SkippedFile[] = [];
  for await (const step of walkDocuments(real)) {
    if ('reason' in step) {
      skipped.push(step);
      continue;
    }
    const read = await readInside(real, step.file, maxFileBytes);
    if (!('reason' in read)) return real;
    skipped.push({ file: step.file, reason: read.reason });
  }
  throw noDocuments(root, skipped);
}

/**
 * The real path of a documents folder, without looking into it.
 *
 * @throws CadreError `DOCS_UNREADABLE` when there is no such folder
 */
export async function resolveDocumentRoot(root: string): Promise<string> {
  if (root.trim() === '' || root.includes('\0')) throw unreadable(root, 'is not a path');
  let real: string;
  try {
    real = await realpath(resolve(root));
    if (!(await stat(real)).isDirectory()) throw unreadable(root, 'is a file, not a folder');
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
  return real;
}

/** The error for a folder in which nothing can be searched, with up to three of the files passed over and why. */
export function noDocuments(root: string, skipped: readonly SkippedFile[]): CadreError {
  const examples = skipped.slice(0, 3).map(({ file, reason }) => `${showPath(file)}: ${reason}`);
  const more = skipped.length > examples.length ? `; and ${skipped.length - examples.length} more` : '';
  const passedOver = examples.length === 0 ? '' : ` Passed over: ${examples.join('; ')}${more}.`;
  return unreadable(root, `holds no readable document.${passedOver}`.replace(/\.$/, ''));
}

function unreadable(root: string, problem: string, cause?: unknown): CadreError {
  return new CadreError(
    'DOCS_UNREADABLE',
    `The documents folder ${showPath(root)} ${problem}. Allowed is a folder with ${documentEndings.join(', ')} files as ` +
      'UTF-8 text, at any depth (hidden folders, node_modules and symbolic links are left out). Give such a folder.',
    { details: { root, problem }, ...(cause === undefined ? {} : { cause }) },
  );
}
