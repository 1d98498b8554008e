import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isGitFolder } from './git-folder.ts';

/** Repository, or one worktree of it. */
export interface GitRepository {
  /** Folder with the checked-out files; the git folder itself for a bare repository. */
  readonly worktree: string;
  /** Folder with `HEAD` and `config.worktree`. */
  readonly gitFolder: string;
  /** Folder with `config`; another one than `gitFolder` for a linked worktree. */
  readonly commonFolder: string;
}

const maxModules = 500;
const maxModuleDepth = 12;

/**
 * Returns the repositories that a command of git in these folders, or in those above them, could use: all on the way up, not only the
 * nearest. The folders need not exist yet. Looks at each folder once.
 */
export function repositoriesAbove(starts: readonly string[]): readonly GitRepository[] {
  const found: GitRepository[] = [];
  const looked = new Set<string>();
  for (const start of starts)
    for (let folder = start; !looked.has(folder); folder = path.dirname(folder)) {
      looked.add(folder);
      const repository = repositoryAt(folder);
      if (repository !== undefined) found.push(repository);
    }
  return found;
}

/** Returns the repository whose worktree, or whose bare folder, this is. */
export function repositoryAt(folder: string): GitRepository | undefined {
  const place = path.join(folder, '.git');
  const kind = kindOf(place);
  const named = kind === 'file' ? /^gitdir: *(.+?)\s*$/m.exec(readText(place) ?? '')?.[1] : undefined;
  const gitFolder = kind === 'folder' ? place : named === undefined ? undefined : path.resolve(folder, named);
  if (gitFolder !== undefined && isRepository(gitFolder)) return { worktree: folder, gitFolder, commonFolder: commonOf(gitFolder) };
  return isRepository(folder) ? { worktree: folder, gitFolder: folder, commonFolder: commonOf(folder) } : undefined;
}

/**
 * Returns the repositories of submodules that a repository keeps, checked out or not, and the folders that were listed for it.
 *
 * @throws Error for more submodules than can be examined
 */
export function modulesOf({ gitFolder, commonFolder }: GitRepository): {
  readonly modules: readonly string[];
  readonly listed: readonly string[];
} {
  const modules: string[] = [];
  const listed: string[] = [];
  const walk = (folder: string, depth: number): void => {
    listed.push(folder);
    if (listed.length > maxModules || depth > maxModuleDepth) throw new Error(`there are too many submodules in ${folder}`);
    for (const name of foldersIn(folder)) {
      const place = path.join(folder, name);
      // A name may have slashes in it, so a folder without a repository may hold some.
      if (!isRepository(place)) walk(place, depth + 1);
      else {
        modules.push(place);
        walk(path.join(place, 'modules'), depth + 1);
      }
    }
  };
  for (const folder of new Set([gitFolder, commonFolder])) walk(path.join(folder, 'modules'), 0);
  return { modules, listed };
}

/** Returns the linked worktrees of a repository, checked out or not. */
export function linkedWorktrees({ commonFolder }: GitRepository): {
  readonly worktrees: readonly GitRepository[];
  readonly listed: readonly string[];
} {
  const folder = path.join(commonFolder, 'worktrees');
  const worktrees = foldersIn(folder).flatMap((name) => {
    const gitFolder = path.join(folder, name);
    const named = readText(path.join(gitFolder, 'gitdir'))?.trim();
    return named === undefined || named === ''
      ? []
      : [{ worktree: path.dirname(path.resolve(gitFolder, named)), gitFolder, commonFolder }];
  });
  return { worktrees, listed: [folder, ...worktrees.map(({ gitFolder }) => path.join(gitFolder, 'gitdir'))] };
}

function isRepository(folder: string): boolean {
  return isGitFolder((name) => kindOf(path.join(folder, name)) !== undefined);
}

/** Returns the folder with the configuration that a git folder shares with others. */
export function commonOf(gitFolder: string): string {
  const common = readText(path.join(gitFolder, 'commondir'))?.trim();
  return common === undefined || common === '' ? gitFolder : path.resolve(gitFolder, common);
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    // Most repositories have no submodules.
    return [];
  }
}

/** Returns what a path leads to, links followed. */
export function kindOf(place: string): 'file' | 'folder' | undefined {
  try {
    const found = statSync(place, { throwIfNoEntry: false });
    return found === undefined ? undefined : found.isDirectory() ? 'folder' : 'file';
  } catch {
    // A link to itself, or a folder that may not be entered.
    return undefined;
  }
}

function readText(file: string): string | undefined {
  try {
    const found = statSync(file);
    return found.isFile() && found.size < 10_000 ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
