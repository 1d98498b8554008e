import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Runs git for the test itself, with no configuration but the repository's. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: plainEnvironment(),
  });
}

/** Makes a repository with a commit, a subfolder and a submodule-like nested one. */
export function makeRepository(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main', '.');
  for (const file of ['a.txt', 'src/b.txt', 'docs/c.md']) put(folder, file, 'text\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
}

/** Writes a file, with the folders on the way. */
export function put(folder: string, file: string, text: string): void {
  const place = join(folder, file);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
}

/**
 * What a user's prompt, editor and hands do in a folder: asks git how it stands, in each of the given folders, and works with it in the
 * uppermost. What fails, fails; only what is run counts.
 */
export function useGitLikeAUser(folder: string, below: readonly string[]): void {
  // One process for all folders, whose names may be any bytes (here a character for each).
  const places = Buffer.from(['.', ...below].join('\0'), 'latin1');
  const script =
    'while IFS= read -r -d "" d; do (cd -- "$d" && for c in status diff "log -1" "status -s -uall"; do git $c; done); done';
  spawnSync('bash', ['-c', script], {
    cwd: folder,
    env: plainEnvironment(),
    input: Buffer.concat([places, Buffer.from('\0')]),
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: 120_000,
  });
  for (const args of [
    ['add', '-A'],
    ['commit', '-q', '-m', 'by the user'],
    ['checkout', '-q', '-b', `b${Date.now()}`],
    ['stash', '-u'],
    ['fetch', '--all'],
    ['submodule', 'status'],
  ])
    spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: folder,
      env: plainEnvironment(),
      stdio: 'ignore',
      timeout: 20_000,
    });
}

/** The text of a configuration that runs a command at nearly everything git does. */
export function trapConfig(marker: string, worktree?: string): string {
  const run = `touch ${marker}`;
  return `[core]
\trepositoryformatversion = 0
\tbare = false
${worktree === undefined ? '' : `\tworktree = ${worktree}\n`}\tfsmonitor = "${run}; false"
\tsshCommand = "${run}; false"
\tpager = "${run}; cat"
\teditor = "${run}; true"
[diff]
\texternal = "${run}; true"
[filter "trap"]
\tclean = "${run}; cat"
\tsmudge = "${run}; cat"
[alias]
\tstatus = "!${run}"
`;
}

function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}
