/**
 * Whether a folder with these names in it is one that git takes for a repository, whatever it is called: a bare one, or what a worktree or
 * a separate git folder keeps. Git runs what its `config` says as soon as it is used in there (git's `is_git_directory`).
 */
export function isGitFolder(has: (name: string) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/** The names that make a folder a repository for git. */
export const gitFolderNames: readonly string[] = ['HEAD', 'commondir', 'objects', 'refs'];
