import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../files/error-code.ts';
import { compileGlob } from '../../files/glob-pattern.ts';
import { walkFiles, type WalkEntry } from './walk-files.ts';
import { readablePath, showSize, type ReadContext } from './workspace-files.ts';

/** Arguments of `list_files`. */
export interface ListFilesRequest {
  readonly path: string;
  readonly glob: string | undefined;
  readonly depth: number | undefined;
  readonly hidden: boolean;
}

const maxListed = 500;
const usualDepth = 2;

/**
 * Lists files and folders as a tree, or the files that match a glob, one path per line.
 *
 * @throws CadreError `PATH_REFUSED`; `TOOL_FAILED` when nothing is there
 */
export async function listFiles(request: ListFilesRequest, { workspace, settings, signal }: ReadContext): Promise<string> {
  const inside = await readablePath(workspace, request.path, settings);
  const { root, path } = inside;
  if (inside.found !== 'folder')
    return await describe(root, { path, name: path, kind: inside.found === 'file' ? 'file' : 'other', depth: 1 });
  const matches = request.glob === undefined ? undefined : compileGlob(request.glob);
  const maxDepth = request.depth ?? (matches === undefined ? usualDepth : 50);
  const lines: string[] = [];
  let more = 0;
  for await (const entry of walkFiles({
    root,
    start: path,
    maxDepth,
    hidden: request.hidden,
    isUnreadable: settings.isUnreadable,
    signal,
  })) {
    const below = path === '' ? entry.path : entry.path.slice(path.length + 1);
    if (matches !== undefined && (entry.kind === 'folder' || !matches(below))) continue;
    if (lines.length >= maxListed) more += 1;
    else
      lines.push(
        matches === undefined
          ? `${'  '.repeat(entry.depth - 1)}${await describe(root, entry, entry.name)}`
          : await describe(root, entry),
      );
  }
  const shown = path === '' ? 'the workspace' : `${path}/`;
  if (lines.length === 0)
    return matches === undefined
      ? `${shown}: nothing in it${request.hidden ? '' : ' (hidden files are not shown)'}`
      : `${shown}: no file is like ${request.glob}`;
  const rest = more === 0 ? '' : `\n… and ${more} more: name a folder, a glob or a smaller depth`;
  return `${shown}${matches === undefined ? `, ${maxDepth} levels deep` : ''}:\n${lines.join('\n')}${rest}`;
}

async function describe(root: string, { path, kind }: WalkEntry, shown = path): Promise<string> {
  const name = JSON.stringify(shown).slice(1, -1);
  switch (kind) {
    case 'folder':
      return `${name}/`;
    case 'link':
      return `${name} (a symbolic link, not followed)`;
    case 'other':
      return `${name} (not a regular file)`;
    case 'file':
      return `${name} (${await sizeOf(join(root, path))})`;
  }
}

async function sizeOf(path: string): Promise<string> {
  try {
    return showSize((await lstat(path)).size);
  } catch (error) {
    if (errorCode(error) !== undefined) return 'gone';
    throw error;
  }
}
