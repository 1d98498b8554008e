import path from 'node:path';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';

/** Keys with commands as values. */
const commands: ReadonlySet<string> = new Set([
  'fsmonitor',
  'sshcommand',
  'editor',
  'pager',
  'askpass',
  'external',
  'command',
  'textconv',
  'driver',
  'clean',
  'smudge',
  'process',
  'helper',
  'program',
  'cmd',
  'update',
  'difffilter',
  'gitproxy',
  'packobjectshook',
]);

/** The names of hooks that git runs (githooks(5)). */
const hooks: readonly string[] = [
  'applypatch-msg',
  'pre-applypatch',
  'post-applypatch',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-rebase',
  'post-checkout',
  'post-merge',
  'pre-push',
  'pre-receive',
  'update',
  'proc-receive',
  'post-receive',
  'post-update',
  'reference-transaction',
  'push-to-checkout',
  'pre-auto-gc',
  'post-rewrite',
  'sendemail-validate',
  'fsmonitor-watchman',
  'p4-changelist',
  'p4-prepare-changelist',
  'p4-post-changelist',
  'p4-pre-submit',
  'post-index-change',
];

const maxConfigBytes = 1_000_000;

interface Repository {
  /** Folder with the checked-out files, and folder with the configuration. */
  readonly worktree: string;
  readonly gitFolder: string;
}

/**
 * Returns the files and folders that the git configuration for a folder names as hooks, filters, drivers, aliases or included
 * configuration: git runs them, wherever they lie and whatever their names. Absolute paths, existing or not; empty without a repository.
 */
export function gitConfigPlaces(folder: string): readonly string[] {
  const repository = repositoryOf(folder);
  if (repository === undefined) return [];
  const { worktree, gitFolder } = repository;
  const named = ['config', 'config.worktree'].flatMap((name) => {
    const text = readText(path.join(gitFolder, name));
    return text === undefined ? [] : parseGitConfig(text).flatMap((entry) => placesOf(entry, worktree, gitFolder));
  });
  return [...new Set(named)];
}

function placesOf({ section, key, value }: GitConfigEntry, worktree: string, gitFolder: string): readonly string[] {
  if ((section === 'include' || section === 'includeif') && key === 'path') return [resolve(gitFolder, value)];
  if (section === 'core' && key === 'hookspath') return hookPlaces(resolve(worktree, value), worktree);
  if (section === 'core' && key === 'attributesfile') return [resolve(worktree, value)];
  if (section !== 'alias' && !commands.has(key)) return [];
  // Each word of a command may be a script: the program itself, or an argument of an interpreter.
  return value
    .split(/[\s"'`|&;()<>=!]+/)
    .filter((word) => word !== '' && !word.startsWith('-') && !word.includes('://'))
    .map((word) => ({ word, place: resolve(worktree, word) }))
    .filter(({ word, place }) => (word.includes('/') ? kindOf(place) !== 'folder' : kindOf(place) === 'file'))
    .map(({ place }) => place);
}

/** Returns the hooks folder; when it is the worktree or contains it, only the hook files, so that the rest stays writable. */
function hookPlaces(folder: string, worktree: string): readonly string[] {
  const holdsAll = worktree === folder || worktree.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`);
  return holdsAll ? hooks.map((name) => path.join(folder, name)) : [folder];
}

function resolve(folder: string, named: string): string {
  return named.startsWith('~/') ? path.join(homedir(), named.slice(2)) : path.resolve(folder, named);
}

/** Returns the repository a folder lies in: the nearest `.git` at or above it, followed when it is a file. */
function repositoryOf(start: string): Repository | undefined {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const place = path.join(folder, '.git');
    const kind = kindOf(place);
    if (kind === 'folder') return { worktree: folder, gitFolder: place };
    const target = kind === 'file' ? /^gitdir:\s*(.+?)\s*$/m.exec(readText(place) ?? '')?.[1] : undefined;
    if (target !== undefined) {
      const own = path.resolve(folder, target);
      const common = readText(path.join(own, 'commondir'))?.trim();
      return { worktree: folder, gitFolder: common === undefined ? own : path.resolve(own, common) };
    }
    if (folder === path.dirname(folder)) return undefined;
  }
}

function kindOf(place: string): 'file' | 'folder' | undefined {
  const found = statSync(place, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? 'folder' : found?.isFile() === true ? 'file' : undefined;
}

function readText(file: string): string | undefined {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= maxConfigBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    // Missing or unreadable: it names no files.
    return undefined;
  }
}

/** Value of a git configuration; section and key in lower case, as git reads them. */
interface GitConfigEntry {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Parses the entries of a git configuration file; skips anything else, since callers only look for names in it. */
function parseGitConfig(text: string): readonly GitConfigEntry[] {
  const entries: GitConfigEntry[] = [];
  let section = '';
  // A backslash at the end of a line continues it on the next one.
  for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/.exec(line);
    if (header !== null) section = (header[1] ?? '').toLowerCase();
    const rest = header === null ? line : line.slice(header[0].length);
    const entry = /^\s*([A-Za-z][\w-]*)\s*=(.*)$/.exec(rest);
    if (entry !== null) entries.push({ section, key: (entry[1] ?? '').toLowerCase(), value: valueOf(entry[2] ?? '') });
  }
  return entries;
}

/** Removes quotes, escapes and the comment from a value. */
function valueOf(raw: string): string {
  let value = '';
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw.charAt(at);
    if (char === '"') quoted = !quoted;
    else if (char === '\\') {
      at += 1;
      value += raw.charAt(at);
    } else if ((char === '#' || char === ';') && !quoted) break;
    else value += char;
  }
  return value.trim();
}
