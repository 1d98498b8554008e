import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { plainName } from '../../plain-name.ts';
import { gitNames, isGitFolder } from './git-folder.ts';

interface Listed {
  readonly mark: string;
  readonly folders: readonly string[];
  readonly isRepository: boolean;
}

const maxDepth = 2;
const maxFolders = 500;
const maxRoots = 50;
/** Folders of installers, which hold many folders and no repository that a user works in. */
const skipped: ReadonlySet<string> = new Set(['node_modules', 'site-packages', 'vendor', '__pycache__', '.cadre', '.venv']);

// Pure cache: what folders hold, as long as their marks stay the same.
const known = new Map<string, Map<string, Listed>>();

/**
 * Returns the folders at most two levels below a root that are repositories or worktrees, among the first 500 folders. Their configuration
 * may name files elsewhere in the root. Costs one `lstat` per folder once they are known.
 */
export function repositoriesBelow(root: string): readonly string[] {
  const before = known.get(root);
  const seen = new Map<string, Listed>();
  const open = [{ folder: root, depth: 0 }];
  const found: string[] = [];
  for (let next = open.shift(); next !== undefined && seen.size < maxFolders; next = open.shift()) {
    const { folder, depth } = next;
    const listed = list(folder, before?.get(folder));
    if (listed === undefined) continue;
    seen.set(folder, listed);
    if (listed.isRepository) found.push(folder);
    if (depth < maxDepth) open.push(...listed.folders.map((name) => ({ folder: path.join(folder, name), depth: depth + 1 })));
  }
  known.delete(root);
  known.set(root, seen);
  const [oldest] = known.keys();
  if (known.size > maxRoots && oldest !== undefined) known.delete(oldest);
  return found;
}

function list(folder: string, before: Listed | undefined): Listed | undefined {
  try {
    const { dev, ino, ctimeNs, mtimeNs, ctimeMs } = lstatSync(folder, { bigint: true });
    // A folder that changed just now may change again within one tick of the disk's clock.
    const isSure = Date.now() - Number(ctimeMs) > 100;
    const mark = `${dev}:${ino}:${ctimeNs}:${mtimeNs}`;
    if (before?.mark === mark) return before;
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = new Set(entries.map(({ name }) => name).filter((name) => name === '.git' || gitNames.has(name.toLowerCase())));
    const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== '.git' && !skipped.has(plainName(entry.name)));
    return {
      mark: isSure ? mark : '',
      folders: folders.map(({ name }) => name),
      isRepository: names.has('.git') || isGitFolder((name) => names.has(name)),
    };
  } catch {
    // Gone, no folder, or closed to this process.
    return undefined;
  }
}
