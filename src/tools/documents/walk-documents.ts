import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { maxWalkDepth, maxWalkEntries } from './document-limits.ts';
import { hasControlCharacter } from '../files/inside-path.ts';
import { errorCode } from '../files/error-code.ts';
import { isSystemFolder } from '../files/open-folder.ts';

/** A file that is not in the index, and why. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

/** One step of the walk: a document found (a name only, not opened yet), or something passed over with its reason. */
export type WalkStep = { readonly file: string } | SkippedFile;

/** The endings of documents, in lower case; names are compared without regard to case. */
export const documentEndings: readonly string[] = ['.md', '.mdx', '.markdown', '.txt', '.rst'];

/** Tells whether a file name ends like a document. */
export function isDocumentName(name: string): boolean {
  const lower = name.toLowerCase();
  return documentEndings.some((ending) => lower.endsWith(ending));
}

/**
 * Walks a folder for documents, in the order of their names, folders after the files beside them.
 *
 * Hidden entries and `node_modules` are left out; symbolic links are not followed but reported, as are folders that
 * cannot be read. `root` must be a real path. Paths are relative to it, with `/` between the parts.
 */
export async function* walkDocuments(root: string): AsyncGenerator<WalkStep> {
  const folders: { readonly folder: string; readonly depth: number }[] = [{ folder: '', depth: 0 }];
  let seen = 0;
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    const entries = await readFolder(root, next.folder);
    if ('reason' in entries) {
      yield entries;
      continue;
    }
    const inside: { folder: string; depth: number }[] = [];
    for (const entry of entries.list) {
      seen += 1;
      if (seen > maxWalkEntries) {
        yield { file: `${next.folder}/`, reason: `the walk stopped here: more than ${maxWalkEntries} entries` };
        return;
      }
      const path = next.folder === '' ? entry.name : `${next.folder}/${entry.name}`;
      const step = look(root, entry, path);
      if (step === 'folder') inside.push({ folder: path, depth: next.depth + 1 });
      else if (step !== 'nothing') yield step;
    }
    for (const { folder, depth } of inside) {
      if (depth > maxWalkDepth) yield { file: `${folder}/`, reason: `it is deeper than ${maxWalkDepth} folders` };
    }
    folders.unshift(...inside.filter(({ depth }) => depth <= maxWalkDepth));
  }
}

function look(root: string, entry: Dirent, path: string): WalkStep | 'folder' | 'nothing' {
  if (entry.name.startsWith('.') || entry.name === 'node_modules') return 'nothing';
  const isDocument = isDocumentName(entry.name);
  if (entry.isSymbolicLink()) return { file: path, reason: 'it is a symbolic link (links are not followed)' };
  if (entry.isDirectory()) return isSystemFolder(join(root, path)) ? 'nothing' : 'folder';
  if (!isDocument) return 'nothing';
  if (!entry.isFile()) return { file: path, reason: 'it is not a regular file' };
  if (hasControlCharacter(entry.name) || entry.name.includes('\\')) {
    return { file: path, reason: 'its name has a control character or a backslash in it' };
  }
  return { file: path };
}

async function readFolder(root: string, folder: string): Promise<{ readonly list: Dirent[] } | SkippedFile> {
  try {
    const list = await readdir(join(root, folder), { withFileTypes: true });
    return { list: list.toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)) };
  } catch (error) {
    return { file: `${folder}/`, reason: `the folder cannot be read (${errorCode(error) ?? String(error)})` };
  }
}
