import { homedir } from 'node:os';
import path from 'node:path';
import { searchProgram } from '../../programs/find-program.ts';
import { runForOutput } from '../../programs/start-process.ts';

/** Value of git's configuration, as git itself reads it. */
export interface GitEntry {
  /** File that sets it, as an absolute path; undefined for the environment and the command line. */
  readonly origin: string | undefined;
  /** Parts of the key: section and name in lower case, the part between them as it is written. */
  readonly section: string;
  readonly subsection: string;
  readonly name: string;
  readonly value: string;
}

/** Configuration to list. */
export type GitQuestion =
  /** Everything that counts in a repository, the user's and the system's configuration included. */
  | { readonly of: 'repository'; readonly gitFolder: string }
  /** What counts outside of a repository: the user's and the system's configuration. */
  | { readonly of: 'user' }
  /** One file, with the files it includes. */
  | { readonly of: 'file'; readonly file: string };

/** Answer of git; `why` says why there is none. */
export type GitAnswer =
  | { readonly entries: readonly GitEntry[] }
  | { readonly entries?: undefined; readonly why: string }
  | { readonly entries?: undefined; readonly why?: undefined };

/** Asks git for configuration. Answers with neither entries nor a reason where git is not installed. */
export type AskGit = (question: GitQuestion) => Promise<GitAnswer>;

const maxOutputBytes = 8_000_000;
const timeoutMs = 10_000;

/** Folders of programs that only the system and its administrator fill. */
const programFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin', '/opt/local/bin', '/run/current-system/sw/bin'];

/** Variables of the user that decide which configuration git reads. */
const configVariables = /^(HOME|XDG_CONFIG_HOME|GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|PARAMETERS|KEY_\d+|VALUE_\d+))$/;

/** Returns the variables of this process that decide which configuration git reads. */
export function gitVariables(): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).filter((entry): entry is [string, string] => configVariables.test(entry[0]));
  return { HOME: homedir(), ...Object.fromEntries(own) };
}

/** Variables with commands that git runs, as entries of a configuration. */
export function commandVariables(): readonly GitEntry[] {
  const names = [
    'EDITOR',
    'VISUAL',
    'PAGER',
    'SSH_ASKPASS',
    'GIT_EDITOR',
    'GIT_SEQUENCE_EDITOR',
    'GIT_PAGER',
    'GIT_SSH',
    'GIT_SSH_COMMAND',
  ];
  return [...names, 'GIT_ASKPASS', 'GIT_EXTERNAL_DIFF', 'GIT_PROXY_COMMAND'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [{ origin: undefined, section: 'environment', subsection: name, name: 'command', value }];
  });
}

/**
 * Asks git. `git config --list` runs nothing that a configuration names (no monitor, no pager, no alias, no hook), and the repository is
 * given by its folder: git neither searches for one nor refuses one that belongs to another user, which would hide what it says.
 */
export const askGit: AskGit = async (question) => {
  const program = gitProgram();
  if (program === undefined) return {};
  const place = {
    // `--work-tree` keeps a worktree that does not exist (yet) from being an error.
    repository: () => (question.of === 'repository' ? [`--git-dir=${question.gitFolder}`, '--work-tree=/'] : []),
    user: () => ['--git-dir=/dev/null'],
    file: () => ['--git-dir=/dev/null'],
  }[question.of]();
  const file = question.of === 'file' ? ['--file', question.file] : [];
  const args = ['--no-pager', ...place, 'config', ...file, '--list', '--includes', '--show-origin', '-z'];
  const env = {
    ...gitVariables(),
    PATH: programFolders.join(':'),
    LC_ALL: 'C',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
  const options = { cwd: '/', env, timeout: timeoutMs, maxBuffer: maxOutputBytes };
  const { stdout, stderr, failure } = await runForOutput([program, ...args], options);
  if (failure === undefined) return { entries: parseEntries(stdout) };
  return { why: stderr.trim().split('\n').at(-1) || `git ended with ${failure}` };
};

/** Parses the output of `git config --list --show-origin -z`: origin, NUL, key, line break, value, NUL. */
function parseEntries(output: string): readonly GitEntry[] {
  const parts = output.split('\0');
  const entries: GitEntry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const origin = parts[at] ?? '';
    const text = parts[at + 1] ?? '';
    const lineBreak = text.indexOf('\n');
    // A key without `=` means true.
    const [key, value] = lineBreak === -1 ? [text, 'true'] : [text.slice(0, lineBreak), text.slice(lineBreak + 1)];
    const first = key.indexOf('.');
    const last = key.lastIndexOf('.');
    entries.push({
      origin: origin.startsWith('file:') ? path.resolve('/', origin.slice('file:'.length)) : undefined,
      section: key.slice(0, first).toLowerCase(),
      subsection: first === last ? '' : key.slice(first + 1, last),
      name: key.slice(last + 1).toLowerCase(),
      value,
    });
  }
  return entries;
}

/** Returns the absolute path of git; undefined where it is not installed. */
function gitProgram(): string | undefined {
  return searchProgram('git', { in: 'path', path: programFolders.join(path.delimiter) }).found?.path;
}
