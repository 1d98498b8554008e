import { homedir } from 'node:os';
import path from 'node:path';
import { isWithin } from '../../is-within.ts';
import type { GitEntry } from './ask-git.ts';

/** Path that a value of git's configuration names. */
export interface NamedPath {
  /** Absolute path, existing or not. */
  readonly place: string;
  /**
   * `config`: git reads it as configuration; `path`: git opens this very path; `word`: a word of a command, which is a script unless a folder
   * has that name; `file`: a word that is a script only if such a file exists.
   */
  readonly as: 'config' | 'path' | 'word' | 'file';
}

/** Names of keys whose values are commands, or paths of programs. */
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
  'path',
  'cmd',
  'update',
  'difffilter',
  'gitproxy',
  'alternaterefscommand',
  'packobjectshook',
  'uploadpack',
  'receivepack',
  'vcs',
  'defaultkeycommand',
  'smtpserver',
  'tocmd',
  'cccmd',
  'headercmd',
  'tunnel',
]);

/** Sections whose values only say how git behaves: names of branches and people, colours, formats. */
const harmlessSections: ReadonlySet<string> = new Set(
  (
    'user author committer branch color advice column status push pull fetch rebase i18n index pack gc extensions safe versionsort log ' +
    'format tag stash rerere transfer maintenance feature apply blame checkout clean clone commit fsck grep mailmap notes showbranch url'
  ).split(' '),
);

/** Names of keys that hold no path of a program, in any section: refs, patterns, addresses, lists that git only reads. */
const harmlessNames: ReadonlySet<string> = new Set([
  'hiderefs',
  'fetch',
  'push',
  'branch',
  'merge',
  'excludesfile',
  'worktree',
  'recentrepo',
  'defaultbranch',
  'repo',
]);

/** The names of hooks that git runs (githooks(5)). */
const hooks: readonly string[] = (
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase ' +
  'post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout ' +
  'pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist ' +
  'p4-pre-submit post-index-change'
).split(' ');

const interpreters = /^(?:.*\/)?(?:[a-z]*sh|python[\d.]*|node|nodejs|deno|bun|ruby|perl|php|lua|source|exec|env|\.)$/;

/**
 * Returns the paths that a value names in a worktree, where git starts commands. Takes too many rather than too few: each word of a command
 * may be a script, the program itself or an argument of an interpreter.
 */
export function pathsNamed(entry: GitEntry, worktree: string): readonly NamedPath[] {
  const { section, subsection, name, value } = entry;
  const key = `${section}.${name}`;
  if (section === 'include' || section === 'includeif')
    return name === 'path'
      ? [{ place: resolve(entry.origin === undefined ? worktree : path.dirname(entry.origin), value), as: 'config' }]
      : [];
  if (key === 'core.hookspath') return value === '' ? [] : hookPaths(resolve(worktree, value), worktree);
  if (key === 'core.attributesfile' || key === 'init.templatedir') return value === '' ? [] : [asPath(resolve(worktree, value))];
  // `ext::sh -c …` is a command as an address; other addresses are none.
  if (section === 'url' && subsection.includes('::')) return wordsOf(subsection, worktree, true);
  if (section === 'remote' && (name === 'url' || name === 'pushurl'))
    return value.includes('::') ? wordsOf(value, worktree, true) : [];
  if (section === 'submodule' && !(name === 'update' && value.startsWith('!'))) return [];
  const isCommand = commands.has(name) || section === 'pager' || (section === 'alias' && value.startsWith('!'));
  if (!isCommand && (harmlessSections.has(section) || harmlessNames.has(name))) return [];
  return wordsOf(value, worktree, isCommand);
}

/** Returns the worktree that a configuration sets itself; undefined when it sets none. */
export function worktreeSet(entries: readonly GitEntry[], gitFolder: string): string | undefined {
  const set = entries.findLast(({ section, name }) => section === 'core' && name === 'worktree')?.value;
  return set === undefined ? undefined : path.resolve(gitFolder, set);
}

function wordsOf(text: string, worktree: string, isCommand: boolean): readonly NamedPath[] {
  // The value of a variable or of another command, before a slash, is mostly the worktree: "$(git rev-parse --show-toplevel)/x.sh".
  const plain = text
    .replaceAll(/\$\{?HOME\}?/g, homedir())
    .replaceAll(/\$\(([^()]*)\)\//g, ' $1 ./')
    .replaceAll(/\$\{?\w+\}?\//g, ' ./');
  const words = plain.split(/[\s"'`|&;()<>=!,]+/).filter((word) => word !== '' && !/^[-$%+]|:\/\//.test(word));
  const folders = words.flatMap((word, at) => (words[at - 1] === 'cd' ? [resolve(worktree, word)] : []));
  return [worktree, ...folders].flatMap((folder) =>
    words.flatMap((word, at): readonly NamedPath[] => {
      const before = words[at - 1] ?? '';
      const isRun = interpreters.test(before);
      const place = resolve(folder, word);
      // A folder as an argument: Python and Node run a file of a fixed name in it.
      const mains = isRun && /python|node|deno|bun/.test(before) ? ['__main__.py', 'index.js', 'index.mjs', 'index.cjs'] : [];
      const inside = mains.map((main) => ({ place: path.join(place, main), as: 'word' }) as const);
      if (word.endsWith('/')) return inside;
      if (word.includes('/')) return [{ place, as: 'word' }, ...inside];
      if (!isCommand) return [];
      return [{ place, as: isRun || /^\w[\w-]*\.[a-z]+$/i.test(word) ? 'word' : 'file' }, ...inside];
    }),
  );
}

/** Returns the hooks folder; when it is the worktree or contains it, only the hook files, so that the rest stays writable. */
function hookPaths(folder: string, worktree: string): readonly NamedPath[] {
  const holdsAll = isWithin(folder, worktree);
  return holdsAll ? hooks.map((name) => asPath(path.join(folder, name))) : [asPath(folder)];
}

function asPath(place: string): NamedPath {
  return { place, as: 'path' };
}

function resolve(folder: string, named: string): string {
  if (named === '~' || named.startsWith('~/')) return path.join(homedir(), named.slice(1));
  return path.resolve(folder, named);
}
