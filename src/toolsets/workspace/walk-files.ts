import { readdir } from 'node:fs/promises';
import { CadreError } from '../../core/error.ts';
import { errorCode } from '../../files/error-code.ts';
import { isSystemFolder, withOpenFolder } from '../../files/open-folder.ts';
import { isTemporaryName } from '../../files/write-inside.ts';
import { workspaceName } from './workspace-files.ts';

/** Entry found on a walk. */
export interface WalkEntry {
  /** Relative to the root. */
  readonly path: string;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** 1 for entries of the folder where the walk began. */
  readonly depth: number;
}

/** Folder to walk, and limits. */
export interface WalkRequest {
  /** Real path. */
  readonly root: string;
  /** Clean path below the root to begin at; empty for the root itself. */
  readonly start: string;
  readonly maxDepth: number;
  /** Includes names that begin with a dot, and folders of packages. */
  readonly hidden: boolean;
  readonly isUnreadable: (path: string) => boolean;
  readonly signal: AbortSignal;
}

/** Folders that a walk skips unless `hidden` is set. */
const packageFolders: ReadonlySet<string> = new Set(['node_modules', '__pycache__', 'venv', 'target', 'dist']);
const maxEntries = 100_000;

/**
 * Walks a folder in the order of names, each folder followed by its contents. Yields links, but never follows them.
 *
 * @throws CadreError `TOOL_FAILED` after 100,000 entries
 */
export async function* walkFiles(request: WalkRequest): AsyncGenerator<WalkEntry> {
  yield* walkFolder({ request, seen: 0 }, request.start, 1);
}

interface Walk {
  readonly request: WalkRequest;
  /** Number of entries seen so far. */
  seen: number;
}

async function* walkFolder(walk: Walk, folder: string, depth: number): AsyncGenerator<WalkEntry> {
  const { root, maxDepth, hidden, isUnreadable, signal } = walk.request;
  for (const entry of await entriesOf(walk.request, folder, depth)) {
    signal.throwIfAborted();
    walk.seen += 1;
    if (walk.seen > maxEntries)
      throw new CadreError(
        'TOOL_FAILED',
        `There are more than ${maxEntries} files in there. Name a folder further down with \`path\`.`,
      );
    const isSkipped = !hidden && (entry.name.startsWith('.') || (entry.kind === 'folder' && packageFolders.has(entry.name)));
    if (isSkipped || isUnreadable(entry.path) || isTemporaryName(entry.name) || isSystemFolder(`${root}/${entry.path}`)) continue;
    yield entry;
    if (entry.kind === 'folder' && depth < maxDepth) yield* walkFolder(walk, entry.path, depth + 1);
  }
}

async function entriesOf({ root }: WalkRequest, folder: string, depth: number): Promise<WalkEntry[]> {
  const parts = folder === '' ? [] : folder.split('/');
  try {
    const found = await withOpenFolder({ root, parts, requested: folder, what: workspaceName }, async ({ at }) =>
      readdir(at('.'), { withFileTypes: true }),
    );
    return found
      .toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
      .map((entry) => ({
        path: folder === '' ? entry.name : `${folder}/${entry.name}`,
        name: entry.name,
        kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other',
        depth,
      }));
  } catch (error) {
    // A folder that was removed, became a link or may not be read has no entries to show.
    if (errorCode(error) !== undefined || error instanceof CadreError) return [];
    throw error;
  }
}
