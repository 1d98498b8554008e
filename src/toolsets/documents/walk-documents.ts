import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOfName } from './parse/document-kinds.ts';
import { maxWalkDepth, maxWalkEntries } from './document-limits.ts';
import { hasControlCharacter } from '../../files/inside-path.ts';
import { errorCode } from '../../files/error-code.ts';
import { isSystemFolder } from '../../files/open-folder.ts';

/** Location of the documents: the real path of a folder, and the name of the file in it when there is only that one. */
export interface DocumentRoot {
  readonly folder: string;
  readonly only?: string;
}

/** A file that is not in the index, and why. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

/** A file of an unread kind, which is counted but not listed. */
export interface LeftOutFile {
  readonly file: string;
  readonly kind: string;
}

/**
 * One step of the walk: a document found (only its name, not opened yet; a `plain` one has no ending and may be anything), a skipped
 * entry with its reason, or a file of an unread kind.
 */
export type WalkStep = { readonly file: string; readonly plain?: true } | SkippedFile | LeftOutFile;

/**
 * Walks a folder for documents, sorted by name, folders after the files beside them.
 *
 * Hidden entries and `node_modules` are left out; symbolic links are not followed but reported, as are unreadable folders. Paths are
 * relative to the folder, with `/` between the parts. A root with a single file yields that file, whatever its ending.
 */
export async function* walkDocuments({ folder: root, only }: DocumentRoot): AsyncGenerator<WalkStep> {
  if (only !== undefined) {
    yield { file: only };
    return;
  }
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
  if (entry.isSymbolicLink()) return { file: path, reason: 'it is a symbolic link (links are not followed)' };
  if (entry.isDirectory()) return isSystemFolder(join(root, path)) ? 'nothing' : 'folder';
  const kind = kindOfName(entry.name);
  // Sockets and devices are not documents; those named like one are reported.
  if (!entry.isFile() && kind !== 'document') return 'nothing';
  if (typeof kind === 'object') return { file: path, kind: kind.leftOut };
  if (!entry.isFile()) return { file: path, reason: 'it is not a regular file' };
  if (hasControlCharacter(entry.name) || entry.name.includes('\\')) {
    return { file: path, reason: 'its name has a control character or a backslash in it' };
  }
  return kind === 'plain' ? { file: path, plain: true } : { file: path };
}

async function readFolder(root: string, folder: string): Promise<{ readonly list: Dirent[] } | SkippedFile> {
  try {
    const list = await readdir(join(root, folder), { withFileTypes: true });
    return { list: list.toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)) };
  } catch (error) {
    return { file: `${folder}/`, reason: `the folder cannot be read (${errorCode(error) ?? String(error)})` };
  }
}
