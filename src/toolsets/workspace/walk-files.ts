import { readdir } from 'node:fs/promises';
import { CadreError } from '../../core/error.ts';
import { errorCode } from '../files/error-code.ts';
import { isSystemFolder, withOpenFolder } from '../files/open-folder.ts';
import { isTemporaryName } from '../files/write-inside.ts';
import { workspaceName } from './workspace-files.ts';

/** Something found on a walk. */
export interface WalkEntry {
  /** Relative to the root. */
  readonly path: string;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** 1 for what lies in the folder the walk began at. */
  readonly depth: number;
}

/** Where a walk goes. */
export interface WalkRequest {
  /** A real path, and a clean path below it to begin at; empty for the root itself. */
  readonly root: string;
  readonly start: string;
  readonly maxDepth: number;
  /** Also what begins with a dot, and folders of packages. */
  readonly hidden: boolean;
  readonly isUnreadable: (path: string) => boolean;
  readonly signal: AbortSignal;
}

/** What a walk passes over unless it is asked for hidden things, too. */
const packageFolders: ReadonlySet<string> = new Set(['node_modules', '__pycache__', 'venv', 'target', 'dist']);
const maxEntries = 100_000;

/**
 * Walks a folder in the order of its names, each folder followed by what is in it. Links are named and never followed.
 *
 * @throws CadreError `TOOL_FAILED` after 100,000 entries
 */
export async function* walkFiles(request: WalkRequest): AsyncGenerator<WalkEntry> {
  yield* walkFolder(request, request.start, 1, { seen: 0 });
}

async function* walkFolder(
  request: WalkRequest,
  folder: string,
  depth: number,
  count: { seen: number },
): AsyncGenerator<WalkEntry> {
  const { root, maxDepth, hidden, isUnreadable, signal } = request;
  for (const entry of await entriesOf(request, folder, depth)) {
    signal.throwIfAborted();
    count.seen += 1;
    if (count.seen > maxEntries)
      throw new CadreError(
        'TOOL_FAILED',
        `There are more than ${maxEntries} files in there. Name a folder further down with \`path\`.`,
      );
    const isPassedOver = !hidden && (entry.name.startsWith('.') || (entry.kind === 'folder' && packageFolders.has(entry.name)));
    if (isPassedOver || isUnreadable(entry.path) || isTemporaryName(entry.name) || isSystemFolder(`${root}/${entry.path}`))
      continue;
    yield entry;
    if (entry.kind === 'folder' && depth < maxDepth) yield* walkFolder(request, entry.path, depth + 1, count);
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
    // A folder that went away, became a link or may not be read has nothing that could be shown.
    if (errorCode(error) !== undefined || error instanceof CadreError) return [];
    throw error;
  }
}
