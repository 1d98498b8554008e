import { CadreError } from '../../core/error.ts';
import type { DocumentIndex } from './search/document-index.ts';
import type { IndexedDocument } from './search/index-store.ts';
import { describeLeftOut } from './left-out.ts';
import { toInsidePath } from '../../files/inside-path.ts';

/** Listing of a folder's documents: the number in each folder below, and as many titles as fit. */
export interface DocumentListing {
  readonly folder: string;
  readonly total_files: number;
  readonly folders: readonly { readonly folder: string; readonly files: number }[];
  readonly files: readonly { readonly file: string; readonly title: string; readonly lines: number }[];
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
  readonly note?: string;
}

const maxFolders = 200;
const maxSkipped = 20;

/**
 * Lists documents, all of them or those below a folder.
 *
 * @throws CadreError `PATH_REFUSED` for a folder outside; `TOOL_FAILED` for one without documents, naming the ones that exist
 */
export function listDocuments(index: DocumentIndex, folder: string | undefined, limit: number): DocumentListing {
  const path = folder === undefined || /^\.?\/?$/.test(folder.trim()) ? '' : toInsidePath(folder, 'the documents folder');
  const prefix = path === '' ? '' : `${path}/`;
  const below = index.documents().filter(({ file }) => file.startsWith(prefix));
  if (below.length === 0) throw noSuchFolder(path, index.documents());
  const folders = countFolders(below);
  const { skipped, leftOut } = index.stats();
  const notRead = describeLeftOut(leftOut);
  const skippedBelow = skipped.filter(({ file }) => file.startsWith(prefix));
  const notes = [
    ...(below.length > limit
      ? [`Only the first ${limit} of ${below.length} documents are listed; give a folder or a higher limit.`]
      : []),
    ...(folders.length > maxFolders ? [`Only the first ${maxFolders} of ${folders.length} folders are listed.`] : []),
    ...(skippedBelow.length > maxSkipped ? [`${skippedBelow.length} entries were left out in all.`] : []),
    ...(path === '' && notRead !== undefined ? [`Not read: ${notRead}.`] : []),
  ];
  return {
    folder: path,
    total_files: below.length,
    folders: folders.slice(0, maxFolders),
    files: below.slice(0, limit).map(({ file, title, lineCount }) => ({ file, title, lines: lineCount })),
    skipped: skippedBelow.slice(0, maxSkipped),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}

/** Returns each folder that directly contains documents, with their number; the root is `.`. */
function countFolders(documents: readonly IndexedDocument[]): readonly { readonly folder: string; readonly files: number }[] {
  const counts = new Map<string, number>();
  for (const { file } of documents) {
    const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '.';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, files]) => ({ folder, files }));
}

function noSuchFolder(path: string, documents: readonly IndexedDocument[]): CadreError {
  const folders = countFolders(documents).map(({ folder }) => folder);
  const shown = folders.slice(0, 20).map((folder) => `"${folder}"`);
  const more = folders.length > shown.length ? `, and ${folders.length - shown.length} more` : '';
  return new CadreError(
    'TOOL_FAILED',
    `There are no documents in the folder "${path}". Folders with documents: ${shown.join(', ')}${more}.`,
  );
}
