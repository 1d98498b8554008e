/**
 * True when git accepts a folder with these entries as a repository, whatever its name: a bare repository, or the git folder of a worktree.
 * Git runs commands from its `config` as soon as it is used in there (git's `is_git_directory`).
 */
export function isGitFolder(has: (name: string) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/** Names that make a folder a repository for git. */
export const gitFolderNames: readonly string[] = ['HEAD', 'commondir', 'objects', 'refs'];

/** The same names in lower case, for file systems that ignore case. */
export const gitNames: ReadonlySet<string> = new Set(gitFolderNames.map((name) => name.toLowerCase()));
